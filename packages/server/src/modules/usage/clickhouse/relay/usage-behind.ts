/** Thrown where usage up to a cut was asked for, and ClickHouse does not have all of it. It comes by itself: the caller asks again. */
export type BehindReason = "unreachable" | "behind" | "rebuilding" | "replaced";

const SAYS: Readonly<Record<BehindReason, string>> = {
  unreachable: "ClickHouse, which usage is read from, does not take events",
  behind: "ClickHouse, which usage is read from, does not have all accepted events yet",
  rebuilding: "ClickHouse, which usage is read from, is being made anew",
  replaced:
    'ClickHouse is not the one that events were copied into, or lost its tables: run "npm run usage -- rebuild"',
};

export class UsageBehind extends Error {
  override readonly name = "UsageBehind";
  readonly reason: BehindReason;

  constructor(reason: BehindReason, detail?: string | null, cause?: unknown) {
    super(detail ? `${SAYS[reason]}: ${detail}` : SAYS[reason], cause === undefined ? {} : { cause });
    this.reason = reason;
  }
}
