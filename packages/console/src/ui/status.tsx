import classes from "./status.module.css";

const WORDS = {
  draft: "Draft",
  to_pay: "To pay",
  overdue: "Overdue",
  paid: "Paid",
  voided: "Voided",
  failed: "Payment failed",
  held: "Held",
  active: "Active",
  pending: "Not started",
  terminated: "Ended",
  canceled: "Canceled",
  open: "Open",
  billed: "Billed",
  not_billed: "Not billed",
  expired: "Expired",
  revoked: "Revoked",
  enabled: "Receives",
  disabled: "Disabled",
  waiting: "Waiting",
  retrying: "Will be retried",
  delivered: "Delivered",
  undelivered: "Failed",
  advancing: "Advancing",
} as const;

export type State = keyof typeof WORDS;

/** A shape and a word; color only repeats what the shape says. */
export function Status({ state }: { state: State }) {
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
        {["draft", "pending", "open", "waiting"].includes(state) && (
          <circle cx="6" cy="6" r="4.5" strokeDasharray="2.4 1.9" />
        )}
        {(state === "to_pay" || state === "advancing") && (
          <>
            <circle cx="6" cy="6" r="4.5" />
            <path d="M6 1.5a4.5 4.5 0 0 1 0 9z" fill="currentColor" />
          </>
        )}
        {["paid", "active", "billed", "enabled", "delivered"].includes(state) && (
          <circle cx="6" cy="6" r="4.5" fill="currentColor" />
        )}
        {["overdue", "failed", "not_billed", "retrying", "undelivered"].includes(state) && (
          <path
            d="M6 1.5 11 10.5H1z"
            fill={state === "overdue" || state === "undelivered" ? "currentColor" : "none"}
            strokeLinejoin="round"
          />
        )}
        {["voided", "canceled", "terminated", "expired", "revoked", "disabled"].includes(state) && (
          <>
            <circle cx="6" cy="6" r="4.5" />
            <path d="M2.8 9.2 9.2 2.8" />
          </>
        )}
        {state === "held" && <path d="M4 2v8M8 2v8" />}
      </svg>
      {WORDS[state]}
    </span>
  );
}
