import classes from "./status.module.css";

/** By state: its word, and its shape. */
const STATES = {
  draft: ["Draft", "dashes"],
  to_pay: ["To pay", "half"],
  overdue: ["Overdue", "triangle"],
  paid: ["Paid", "disc"],
  voided: ["Voided", "struck"],
  failed: ["Payment failed", "outline"],
  held: ["Held", "bars"],
  active: ["Active", "disc"],
  pending: ["Not started", "dashes"],
  terminated: ["Ended", "struck"],
  canceled: ["Canceled", "struck"],
  open: ["Open", "dashes"],
  billed: ["Billed", "disc"],
  not_billed: ["Not billed", "outline"],
  expired: ["Expired", "struck"],
  revoked: ["Revoked", "struck"],
  enabled: ["Enabled", "disc"],
  disabled: ["Disabled", "struck"],
  waiting: ["Waiting", "dashes"],
  retrying: ["Will be retried", "outline"],
  delivered: ["Delivered", "disc"],
  undelivered: ["Failed", "triangle"],
  advancing: ["Advancing", "half"],
} as const;

export type State = keyof typeof STATES;

/** A shape and a word; color only repeats what the shape says. */
export function Status({ state }: { state: State }) {
  const [word, shape] = STATES[state];
  return (
    <span className={classes.status} data-state={state}>
      <svg
        width="12"
        height="12"
        viewBox="0 0 12 12"
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
      >
        {shape === "dashes" && <circle cx="6" cy="6" r="4.5" strokeDasharray="2.4 1.9" />}
        {shape === "half" && (
          <>
            <circle cx="6" cy="6" r="4.5" />
            <path d="M6 1.5a4.5 4.5 0 0 1 0 9z" fill="currentColor" />
          </>
        )}
        {shape === "disc" && <circle cx="6" cy="6" r="4.5" fill="currentColor" />}
        {(shape === "triangle" || shape === "outline") && (
          <path d="M6 1.5 11 10.5H1z" fill={shape === "triangle" ? "currentColor" : "none"} strokeLinejoin="round" />
        )}
        {shape === "struck" && (
          <>
            <circle cx="6" cy="6" r="4.5" />
            <path d="M2.8 9.2 9.2 2.8" />
          </>
        )}
        {shape === "bars" && <path d="M4 2v8M8 2v8" />}
      </svg>
      {word}
    </span>
  );
}
