/**
 * Seals what is not sealed, or not with the newest key, over all organizations and in small transactions. The rows say what is left to do,
 * so it can be stopped anywhere and continued by anyone: the scheduled job and `npm run secrets` run the same code.
 */
import { Problem } from "../http/problem.ts";
import {
  createPersonalVault,
  findUnsettledKeys,
  forgetRetiredKeys,
  providerSecrets,
  rewrapKeys,
  type SecretHolder,
  totpSeeds,
  type Vault,
} from "../modules/accounts/index.ts";
import { webhookSecrets } from "../modules/webhooks/index.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inOrganization } from "../platform/postgres/database.ts";
import type { MasterKeys } from "../platform/secrets/master-keys.ts";
import type { Log } from "../platform/telemetry/log.ts";

/** Everything that holds secrets of organizations. */
export const SECRET_HOLDERS: readonly SecretHolder[] = [...webhookSecrets, providerSecrets];
/** What holds secrets of people, who belong to no organization. */
export const PERSONAL_HOLDERS = [totpSeeds];

const BATCH = 100;

export type SealingDeps = { db: Database; dispatcherDb: Database; clock: Clock; vault: Vault };
export type SealedCounts = { rows: number; dataKeys: number; organizations: number };

export function sealingJob({
  masterKeys,
  log,
  ...deps
}: SealingDeps & { masterKeys: MasterKeys | null; log: Log }): () => Promise<void> {
  let isRunning = false;
  return async () => {
    // A run may take longer than the interval between two runs.
    if (isRunning || masterKeys === null) return;
    isRunning = true;
    try {
      const { rows, dataKeys } = await sealAll(deps, masterKeys);
      if (rows + dataKeys > 0) log.info({ rows, dataKeys }, "secrets sealed");
    } finally {
      isRunning = false;
    }
  };
}

/** `onDone` is called after each organization that had something to do. */
export async function sealAll(
  deps: SealingDeps,
  masterKeys: MasterKeys,
  { onDone, replaceLost = false }: { onDone?: (counts: SealedCounts) => void; replaceLost?: boolean } = {},
): Promise<SealedCounts> {
  const counts: SealedCounts = { rows: 0, dataKeys: 0, organizations: 0 };
  const found = await Promise.all([
    findUnsettledKeys(deps.dispatcherDb, masterKeys.first),
    ...SECRET_HOLDERS.map(({ findPlain }) => findPlain(deps.dispatcherDb)),
  ]);
  for (const organizationId of [...new Set(found.flat())].sort()) {
    const dataKeys = await inOrganization(deps.db, organizationId, (tx) => rewrapKeys(tx, organizationId, masterKeys));
    const rows = await sealOrganization(deps, organizationId, replaceLost);
    await forgetRetiredKeys(deps.db, organizationId, deps.clock.now());
    if (rows + dataKeys === 0) continue;
    counts.dataKeys += dataKeys;
    counts.rows += rows;
    counts.organizations++;
    onDone?.({ ...counts });
  }
  const personalVault = createPersonalVault({ ...deps, masterKeys });
  for (const { sealAll } of PERSONAL_HOLDERS)
    counts.rows += await sealAll(deps.dispatcherDb, personalVault, masterKeys.first);
  return counts;
}

async function sealOrganization(deps: SealingDeps, organizationId: string, replaceLost: boolean): Promise<number> {
  let rows = 0;
  try {
    for (const holder of SECRET_HOLDERS) {
      if (replaceLost) rows += await replaceLostOf(deps, organizationId, holder);
      rows += await sealRowsOf(deps, organizationId, holder);
    }
  } catch (error) {
    // The data key of this organization cannot be opened. `/ready` and `npm run secrets -- status` say so; the others go on.
    if (!(error instanceof Problem)) throw error;
  }
  return rows;
}

async function sealRowsOf({ db, vault }: SealingDeps, organizationId: string, holder: SecretHolder): Promise<number> {
  let total = 0;
  let after: string | null = null;
  do {
    const from: string | null = after;
    const { last, sealed }: { last: string | null; sealed: number } = await inOrganization(
      db,
      organizationId,
      async (tx) => {
        const sealer = await vault.sealer(tx, organizationId);
        if (!sealer) return { last: null, sealed: 0 };
        return holder.sealNext(tx, organizationId, { vault, sealer, after: from, limit: BATCH });
      },
    );
    total += sealed;
    after = last;
  } while (after !== null);
  return total;
}

const replaceLostOf = ({ db, vault }: SealingDeps, organizationId: string, { replaceLost }: SecretHolder) =>
  replaceLost ? inOrganization(db, organizationId, (tx) => replaceLost(tx, organizationId, vault)) : Promise.resolve(0);
