/** The seed of a person's codes, in a box if the service has a master key, and otherwise as it is. Both forms are read. */
import type { Database } from "../../../platform/postgres/database.ts";
import { dataKeyErrors, type PersonalVault } from "../data-keys/index.ts";
import { countSeeds, holdSeedsToSeal, type SeedColumns, type TotpRow, updateSeed } from "./store.ts";

const BATCH = 100;

const placeOf = (userId: string) => ({ table: "totp_factors", column: "sealed_secret", row: userId });

/** Before the transaction: it may store the proof of the master key. */
export async function seedColumnsOf(userId: string, secret: string, vault: PersonalVault): Promise<SeedColumns> {
  const sealed = await vault.seal(placeOf(userId), secret);
  if (!sealed) return { secret, sealed_secret: null, master_version: null };
  return { secret: null, sealed_secret: sealed.box, master_version: sealed.version };
}

/** Undefined if the box does not open. */
function openSeed({ user_id, secret, sealed_secret: box, master_version }: TotpRow, vault: PersonalVault) {
  if (box === null || master_version === null) return secret ?? undefined;
  return vault.open(placeOf(user_id), { version: master_version, box });
}

export function seedOf(row: TotpRow, vault: PersonalVault): string {
  const seed = openSeed(row, vault);
  if (seed === undefined) throw dataKeyErrors.problem("secrets_key_wrong");
  return seed;
}

/** For `npm run secrets` and the job that seals. */
export const totpSeeds = {
  name: "seeds of authenticator apps",
  count: countSeeds,
  /** Seals what is plain or under another master key, in small transactions. Returns how many rows. */
  sealAll: async (dispatcherDb: Database, vault: PersonalVault, first: number): Promise<number> => {
    let total = 0;
    let after: string | null = null;
    do {
      const from: string | null = after;
      const { last, sealed }: { last: string | null; sealed: number } = await dispatcherDb
        .transaction()
        .execute(async (tx) => {
          const rows = await holdSeedsToSeal(tx, { first, after: from, limit: BATCH });
          const seeds = rows.flatMap((row) => {
            const seed = openSeed(row, vault);
            return seed === undefined ? [] : [{ userId: row.user_id, seed }];
          });
          for (const { userId, seed } of seeds) await updateSeed(tx, userId, await seedColumnsOf(userId, seed, vault));
          return { last: rows.length < BATCH ? null : (rows.at(-1)?.user_id ?? null), sealed: seeds.length };
        });
      total += sealed;
      after = last;
    } while (after !== null);
    return total;
  },
};
