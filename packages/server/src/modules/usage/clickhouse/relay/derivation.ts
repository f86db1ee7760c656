/** What the relay is told to derive from events; it hands it on with the rows, and knows nothing of it. */
import type { Tx } from "../../../../platform/postgres/database.ts";

export type Derivation = {
  readonly organizationId: string;
  readonly id: string;
  /** Of the events that it is derived from. */
  readonly code: string;
  /** "" for a count. */
  readonly field: string;
  readonly names: readonly string[];
};

/** Whoever derives. Both are called in a transaction of the dispatcher. */
export type Deriving = {
  /** While the lane is locked: what is derived from the events of these organizations in the batch that is being opened. */
  readonly derivationsOf: (tx: Tx, organizationIds: readonly string[]) => Promise<readonly Derivation[]>;
  /** What was derived from their events may lack some, or hold some twice: it must not be read again. */
  readonly restartDerivations: (tx: Tx, organizationIds: readonly string[]) => Promise<void>;
};

export const NOTHING_DERIVED: Deriving = {
  derivationsOf: async () => [],
  restartDerivations: async () => undefined,
};
