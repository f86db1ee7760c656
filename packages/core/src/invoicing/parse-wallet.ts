/** Validates a request for a wallet. */
import {
  andThen,
  asDecimal,
  combine,
  combineList,
  currencyCode,
  type Faults,
  fault,
  instant,
  isMembers,
  type Members,
  ok,
  oneOf,
  optional,
  type Reader,
  type Result,
  required,
  shortText,
  whole,
} from "../catalog/index.ts";
import { type Currency, type Decimal, minor, ZERO } from "../money/index.ts";
import { INTERVALS } from "../time/index.ts";
import { readCredits, type TopUp, topUpsOf } from "./top-up.ts";
import type { TopUpRule } from "./top-up-rule.ts";
import { invoicedAtOnce, type Metadata, metadata } from "./wallet-metadata.ts";

export type NewWallet = {
  readonly name: string | null;
  readonly code: string | null;
  readonly metadata: Metadata;
  readonly rate: Decimal;
  readonly currency: Currency;
  readonly priority: number;
  readonly expiresAt: Temporal.Instant | null;
  readonly topUps: readonly TopUp[];
  readonly rule: TopUpRule | null;
};

/** The first credits of a wallet, which are the default of a rule with fixed credits. */
type Initial = { readonly paid: Decimal; readonly granted: Decimal };

const RATE_DECIMALS_MAX = 5;
const PRIORITY_MAX = 50;
const NO_METADATA: Metadata = {};

/** A wallet from the members of a request made at `now`. The default currency is the customer's. */
export function parseWallet(
  input: Members,
  { now, customerCurrency }: { readonly now: Temporal.Instant; readonly customerCurrency: Currency | null },
): Result<NewWallet, Faults> {
  const paid = readCredits(input, "purchased");
  const granted = readCredits(input, "granted");
  const initial = { paid: paid.ok ? paid.value : ZERO, granted: granted.ok ? granted.value : ZERO };
  const members = combine({
    name: optional(input, "name", shortText, null),
    code: optional(input, "code", shortText, null),
    metadata: optional(input, "metadata", metadata, NO_METADATA),
    invoicedAtOnce: optional(input, "invoice_requires_successful_payment", invoicedAtOnce, false),
    rate: required(input, "rate_amount", rate),
    currency: readCurrency(input, customerCurrency),
    priority: optional(input, "priority", priority, PRIORITY_MAX),
    expiresAt: optional(input, "expiration_at", instantAfter(now), null),
    paid,
    granted,
    rule: optional(input, "recurring_transaction_rules", rules(initial), null),
  });
  return andThen(members, ({ paid, granted, invoicedAtOnce: _, ...wallet }) => {
    const empty = { ...wallet, balanceMinor: minor(0n) };
    const topUps = combineList([topUpsOf("purchased", paid, empty), topUpsOf("granted", granted, empty)]);
    return andThen(topUps, (lists) => ok({ ...wallet, topUps: lists.flat() }));
  });
}

/** The changeable members of a wallet. A rule replaces the existing one; null removes it. */
type Changeable = Pick<NewWallet, "name" | "code" | "metadata" | "expiresAt">;
export type WalletTerms = Changeable & {
  /** undefined: unchanged. */
  readonly rule: TopUpRule | null | undefined;
};

/** A wallet after a change request at `now`: absent members change nothing. */
export function walletAfterUpdate(
  current: Changeable,
  input: Members,
  { now, initial }: { readonly now: Temporal.Instant; readonly initial: Initial },
): Result<WalletTerms, Faults> {
  const terms = combine({
    name: input.name === undefined ? ok(current.name) : optional(input, "name", shortText, null),
    code: input.code === undefined ? ok(current.code) : optional(input, "code", shortText, null),
    metadata: input.metadata === undefined ? ok(current.metadata) : optional(input, "metadata", metadata, NO_METADATA),
    invoicedAtOnce: optional(input, "invoice_requires_successful_payment", invoicedAtOnce, false),
    expiresAt:
      input.expiration_at === undefined
        ? ok(current.expiresAt)
        : optional(input, "expiration_at", instantAfter(now), null),
    rule:
      input.recurring_transaction_rules === undefined
        ? ok(undefined)
        : optional(input, "recurring_transaction_rules", rules(initial), null),
  });
  return andThen(terms, ({ invoicedAtOnce: _, ...changed }) => ok(changed));
}

/** A customer has one currency. */
function readCurrency(input: Members, customers: Currency | null): Result<Currency, Faults> {
  const options = optional(input, "currency", currencyCode, customers);
  return andThen(options, (currency) => {
    if (currency === null) return fault("currency", "value_is_mandatory");
    return customers === null || currency === customers ? ok(currency) : fault("currency", "currencies_does_not_match");
  });
}

/** More decimals than are stored are out of range, and so is a credit that is worth nothing. */
const rate: Reader<Decimal> = (value, field) => {
  const isBelowZero = typeof value === "string" && value.startsWith("-");
  const read = asDecimal(isBelowZero ? value.slice(1) : value);
  if (!read) return fault(field, "value_is_invalid");
  const isInRange = !isBelowZero && read.gt(ZERO) && read.round(RATE_DECIMALS_MAX).eq(read);
  return isInRange ? ok(read) : fault(field, "value_is_out_of_range");
};

const priority: Reader<number> = (value, field) =>
  andThen(whole(1n)(value, field), (read) =>
    read <= PRIORITY_MAX ? ok(Number(read)) : fault(field, "value_is_out_of_range"),
  );

const instantAfter =
  (now: Temporal.Instant): Reader<Temporal.Instant> =>
  (value, field) =>
    andThen(instant(value, field), (at) =>
      Temporal.Instant.compare(at, now) > 0 ? ok(at) : fault(field, "invalid_date"),
    );

const rules =
  (initial: Initial): Reader<TopUpRule | null> =>
  (value, field) => {
    if (!Array.isArray(value) || value.length > 1) return fault(field, "invalid_number_of_recurring_rules");
    const [members] = value;
    if (members === undefined) return ok(null);
    const rule = isMembers(members) ? readRule(members, initial) : undefined;
    return rule?.ok ? rule : fault(field, "invalid_recurring_rule");
  };

function readRule(members: Members, initial: Initial): Result<TopUpRule, Faults> {
  return combine({ trigger: readTrigger(members), method: readMethod(members, initial) });
}

function readTrigger(members: Members): Result<TopUpRule["trigger"], Faults> {
  const trigger = required(members, "trigger", oneOf(["interval", "threshold"]));
  return andThen<"interval" | "threshold", TopUpRule["trigger"]>(trigger, (type) =>
    type === "interval"
      ? combine({
          type: ok(type),
          interval: required(members, "interval", oneOf(INTERVALS)),
          startedAt: optional(members, "started_at", instant, null),
        })
      : combine({ type: ok(type), credits: required(members, "threshold_credits", credits) }),
  );
}

function readMethod(members: Members, initial: Initial): Result<TopUpRule["method"], Faults> {
  const method = optional(members, "method", oneOf(["fixed", "target"]), "fixed" as const);
  return andThen<"fixed" | "target", TopUpRule["method"]>(method, (type) =>
    type === "fixed"
      ? combine({
          type: ok(type),
          paidCredits: optional(members, "paid_credits", credits, initial.paid),
          grantedCredits: optional(members, "granted_credits", credits, initial.granted),
        })
      : combine({ type: ok(type), credits: required(members, "target_ongoing_balance", credits) }),
  );
}

const credits: Reader<Decimal> = (value, field) => {
  const read = asDecimal(value);
  return read ? ok(read) : fault(field, "value_is_invalid");
};
