/** Credits that are added to a wallet, or removed by hand. */
import {
  andThen,
  asDecimal,
  combine,
  combineList,
  type Faults,
  fail,
  fault,
  type Members,
  ok,
  optional,
  type Result,
  shortText,
} from "../catalog/index.ts";
import { type Decimal, type Minor, ZERO } from "../money/index.ts";
import { amountOfCredits, type CreditRate, type CreditsAmount } from "./credits.ts";
import { invoicedAtOnce, type MetadataPair, metadataPairs } from "./wallet-metadata.ts";

/** Purchased credits count once they are paid, granted ones at once; voided ones leave. */
export type TopUpKind = "purchased" | "granted" | "voided";
export type TopUp = CreditsAmount & { readonly kind: TopUpKind };

export type ToppedUpWallet = CreditRate & { readonly status: "active" | "terminated"; readonly balanceMinor: Minor };

/** The largest balance that a JSON number shows exactly. */
const AMOUNT_MAX = 2n ** 53n - 1n;

const FIELDS = { purchased: "paid_credits", granted: "granted_credits", voided: "voided_credits" } as const;

const CODES: Readonly<Record<TopUpKind, readonly string[]>> = {
  purchased: ["invalid_paid_credits", "invalid_amount"],
  granted: ["invalid_granted_credits"],
  voided: ["invalid_voided_credits"],
};

/** The requested transactions, at most one of each kind; zero credits make none. */
export function parseTopUp(input: Members, wallet: ToppedUpWallet): Result<readonly TopUp[], Faults> {
  if (wallet.status === "terminated") return fault("wallet_id", "wallet_is_terminated");
  const kinds: readonly TopUpKind[] = ["purchased", "granted", "voided"];
  const topUps = combineList(
    kinds.map((kind) => {
      const credits = readCredits(input, kind);
      return credits.ok ? topUpsOf(kind, credits.value, wallet) : credits;
    }),
  );
  return topUps.ok ? ok(topUps.value.flat()) : topUps;
}

/** What a request calls its transactions, and stores with them. */
export type TopUpLabel = { readonly name: string | null; readonly metadata: readonly MetadataPair[] };

export function parseTopUpLabel(input: Members): Result<TopUpLabel, Faults> {
  const label = combine({
    name: optional(input, "name", shortText, null),
    metadata: optional(input, "metadata", metadataPairs, []),
    invoicedAtOnce: optional(input, "invoice_requires_successful_payment", invoicedAtOnce, false),
  });
  return andThen(label, ({ name, metadata }) => ok({ name, metadata }));
}

/** The credits of a kind in a request, 0 if there are none. */
export const readCredits = (input: Members, kind: TopUpKind): Result<Decimal, Faults> =>
  optional(
    input,
    FIELDS[kind],
    (value, field) => {
      const credits = asDecimal(value);
      return credits ? ok(credits) : fail({ [field]: CODES[kind] });
    },
    ZERO,
  );

/** The transaction for credits, as a list. It is empty for 0 credits, and refused if they are worth no money or more than can be shown. */
export function topUpsOf(
  kind: TopUpKind,
  credits: Decimal,
  wallet: CreditRate & { readonly balanceMinor: Minor },
): Result<readonly TopUp[], Faults> {
  if (credits.eq(ZERO)) return ok([]);
  const topUp = { kind, ...amountOfCredits(credits, wallet) };
  if (topUp.amountMinor === 0n) return fault(FIELDS[kind], "amount_rounds_to_zero");
  if (topUp.amountMinor > AMOUNT_MAX) return fail({ [FIELDS[kind]]: CODES[kind] });
  if (kind === "voided" && topUp.amountMinor > wallet.balanceMinor) return fault(FIELDS[kind], "insufficient_credits");
  return ok([topUp]);
}
