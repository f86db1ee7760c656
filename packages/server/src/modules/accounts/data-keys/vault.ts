/** Seals and opens the secrets of an organization with its data key. What is opened is for one call: nothing here keeps it. */
import type { KeyObject } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import { openBox, type Place, sealBox } from "../../../platform/secrets/box.ts";
import {
  isProven,
  type MasterKeys,
  newDataKey,
  proofOf,
  unwrapDataKey,
  type WrappedKey,
} from "../../../platform/secrets/master-keys.ts";
import { dataKeyErrors } from "./errors.ts";
import { findCurrentKey, findDataKey, findNextVersion, insertDataKey, keepProof } from "./store.ts";

/** Where a box is, in a table whose rows name their data key. */
type BoxPlace = Pick<Place, "table" | "column" | "row">;

export type Sealer = { readonly version: number; seal: (place: BoxPlace, text: string) => Buffer };
/** Undefined if the key is missing or is another one, or if the box is not of this place. */
export type Opener = (place: BoxPlace, box: Buffer) => string | undefined;

export type Vault = {
  /** Seals with the current data key, which is made if there is none. Null without a master key: then nothing is sealed. */
  sealer: (tx: Tx, organizationId: string) => Promise<Sealer | null>;
  /** Opens what the data key of this version has sealed. */
  opener: (tx: Tx, organizationId: string, version: number) => Promise<Opener>;
};

/** Rows of a capability that hold secrets, for the job that seals them again. */
export type SecretHolder = {
  /** In the plural, for people. */
  name: string;
  /** Over all organizations, for the dispatcher: organizations with rows that are not sealed. */
  findPlain: (dispatcherDb: Database) => Promise<string[]>;
  /** Over all organizations, for the dispatcher. `outdated`: sealed with a retired key. */
  count: (dispatcherDb: Database) => Promise<{ plain: number; sealed: number; outdated: number }>;
  /** Seals the next rows that are plain or sealed with another data key. */
  sealNext: (tx: Tx, organizationId: string, batch: SealedBatch) => Promise<{ last: string | null; sealed: number }>;
  /** Makes new secrets for rows that cannot be opened, if nobody outside must know them. Returns how many. */
  replaceLost?: (tx: Tx, organizationId: string, vault: Vault) => Promise<number>;
};
type SealedBatch = {
  vault: Vault;
  sealer: Sealer;
  /** The id after which to continue. Rows that cannot be opened are skipped. */
  after: string | null;
  limit: number;
};

type VaultDeps = { masterKeys: MasterKeys | null; dispatcherDb: Database; clock: Clock };
type Keyed = { masterKeys: MasterKeys };

export function createVault(deps: VaultDeps): Vault {
  const { masterKeys } = deps;
  if (masterKeys === null) return { sealer: async () => null, opener: async () => () => undefined };
  return {
    sealer: async (tx, organizationId) => {
      const wrapped = await currentKeyOf(tx, organizationId, { ...deps, masterKeys });
      const key = unwrapDataKey(masterKeys, wrapped);
      if (!key) throw dataKeyErrors.problem("secrets_key_wrong");
      return sealerOf(key, wrapped);
    },
    opener: async (tx, organizationId, version) => {
      const wrapped = await findDataKey(tx, organizationId, version);
      const key = wrapped && unwrapDataKey(masterKeys, wrapped);
      if (!key) return () => undefined;
      return (place, box) => openBox(key, { ...place, organizationId, version }, box)?.toString();
    },
  };
}

/** Another key of the same version would make data keys that the rest of the installation cannot open. */
export async function demandKeyOfDatabase({ masterKeys, dispatcherDb, clock }: VaultDeps & Keyed): Promise<void> {
  const { first } = masterKeys;
  const proof = await keepProof(dispatcherDb, first, proofOf(masterKeys, first), clock.now());
  if (!isProven(masterKeys, first, proof)) throw dataKeyErrors.problem("secrets_key_wrong");
}

async function currentKeyOf(tx: Tx, organizationId: string, deps: VaultDeps & Keyed): Promise<WrappedKey> {
  const known = await findCurrentKey(tx, organizationId);
  if (known) return known;
  await demandKeyOfDatabase(deps);
  const version = await findNextVersion(tx, organizationId);
  await insertDataKey(tx, newDataKey(deps.masterKeys, { organizationId, version }).wrapped, deps.clock.now());
  // It may be the key of another transaction that was first.
  const made = await findCurrentKey(tx, organizationId);
  if (!made) throw new Error("the data key was not stored");
  return made;
}

const sealerOf = (key: KeyObject, { organizationId, version }: WrappedKey): Sealer => ({
  version,
  seal: (place, text) => sealBox(key, { ...place, organizationId, version }, Buffer.from(text)),
});
