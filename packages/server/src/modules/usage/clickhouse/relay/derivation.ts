/** What to derive from events. The relay passes it on with the rows, and does not interpret it. */
import type { Tx } from "../../../../platform/postgres/database.ts";

export type Derivation = {
  readonly organizationId: string;
  readonly id: string;
  /** Code of the events that it is derived from. */
  readonly code: string;
  /** "" for a count. */
  readonly field: string;
  readonly names: readonly string[];
};

/** Both functions are called in a transaction of the dispatcher. */
export type Deriving = {
  /** While the queue is locked: what to derive from the events of these organizations in the batch that is being opened. */
  readonly derivationsOf: (tx: Tx, organizationIds: readonly string[]) => Promise<readonly Derivation[]>;
  /** Derived data of these organizations may lack events or count some twice. It must not be read again. */
  readonly restartDerivations: (tx: Tx, organizationIds: readonly string[]) => Promise<void>;
};

export const NOTHING_DERIVED: Deriving = {
  derivationsOf: async () => [],
  restartDerivations: async () => undefined,
};
