/** Thrown if ClickHouse does not have all events up to the requested snapshot. This is temporary: the caller tries again. */
export type BehindReason = "unreachable" | "behind" | "rebuilding" | "replaced";

const SAYS: Readonly<Record<BehindReason, string>> = {
  unreachable: "ClickHouse, which usage is read from, does not accept events",
  behind: "ClickHouse, which usage is read from, does not have all accepted events yet",
  rebuilding: "ClickHouse, which usage is read from, is being rebuilt",
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
