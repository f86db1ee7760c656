/** What lives showed, in one tree. */

export type Found = {
  readonly life: number;
  /** error: the life could not be lived to its end. */
  readonly by: "check" | "verify" | "error";
  /** Of the check, or of the first invariant. */
  readonly name: string;
  readonly about: string;
  /** All that `verify` finds broken after that life. */
  readonly invariants: readonly string[];
};

export type Tried = {
  readonly lived: number /** In the order in which they were lived. */;
  readonly found: readonly Found[];
};
