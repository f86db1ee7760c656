/** New data keys for all organizations, and everything sealed again with them. */
import { retireDataKeys } from "../modules/accounts/index.ts";
import type { MasterKeys } from "../platform/secrets/master-keys.ts";
import { type Finding, SEALED_CHECK, verify } from "../verify/index.ts";
import type { Config } from "./config.ts";
import { SECRET_HOLDERS, type SealedCounts, type SealingDeps, sealAll } from "./sealing.ts";

const SHOWN_MAX = 1000;

type Rotating = SealingDeps & { config: Config; masterKeys: MasterKeys };

/**
 * Retiring all data keys is one statement. From then on, the rows under retired keys are what is left to do. Whoever runs this again while
 * there are any continues, and starts no second rotation.
 */
export async function rotateSecrets(
  deps: Rotating,
  { isLost, say }: { isLost: boolean; say: (line: string) => void },
): Promise<SealedCounts> {
  const { broken, rows } = await findUnopened(deps);
  if (rows.some(({ table }) => table === "data_keys") && !isLost)
    throw new Error(
      "Some data keys cannot be opened: see npm run secrets -- status. Add the missing key to SECRETS_KEY. Only if it is lost for good, " +
        "run this command with --lost-keys.",
    );
  const counts = await Promise.all(SECRET_HOLDERS.map(({ count }) => count(deps.dispatcherDb)));
  const outdated = counts.reduce((sum, one) => sum + one.outdated, 0);
  // What cannot be opened stays under its retired key.
  if (outdated > broken) say("continuing a rotation that was interrupted");
  else await retireDataKeys(deps.dispatcherDb, deps.clock.now());
  return sealAll(deps, deps.masterKeys, { onDone: (sealed) => say(inProgress(sealed)), replaceLost: isLost });
}

export const inProgress = ({ organizations, rows }: SealedCounts): string =>
  `organizations: ${organizations}, secrets: ${rows}`;

export async function findUnopened(deps: { config: Config; masterKeys: MasterKeys | null }): Promise<Finding> {
  const options = { only: [SEALED_CHECK], masterKeys: deps.masterKeys, rowsMax: SHOWN_MAX };
  const [finding] = await verify(deps.config.DATABASE_URL, options);
  if (!finding) throw new Error(`${SEALED_CHECK} was not checked`);
  return finding;
}
