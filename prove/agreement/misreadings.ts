/** The rules of credits, each misread in one place as others have done. A campaign that cannot tell one of these apart is blind. */
import { type CreditRules, RULES } from "@tallystick/second-opinion/credit-rules";
import {
  atLeastZero,
  isBelow,
  minus,
  nearest,
  over,
  type Rational,
  sum,
  times,
  whole,
  ZERO,
} from "@tallystick/second-opinion/rational";

const COUPONS = {
  "coupons go by time of application alone": { couponRanks: ({ appliedAt }) => [appliedAt] },
  "a coupon looks at fees as they were, not at what earlier coupons left": { couponBase: ({ amount }) => amount },
  "a coupon may take more than there is": { couponCredit: (requested) => nearest(requested) },
  "coupons are spread over fees in whole cents": { leftOfFee: (exact) => whole(nearest(exact)) },
  "a fixed coupon of another currency is used": { mayUseCoupon: () => true },
  "an amount that is used once is gone with its first invoice": {
    amountLeft: (amount, credits) => (credits.length === 0 ? amount : 0n),
  },
  "a recurring coupon counts only the invoices that use all of it": {
    usesLeft: (uses, credits, amount) => uses - credits.filter((credit) => credit === amount).length,
  },
} satisfies Record<string, Partial<CreditRules>>;

/** What notes pay of each fee, as if they paid before taxes. */
function afterNotes(left: readonly Rational[], creditNotes: bigint): Rational[] {
  const all = sum(left);
  const factor = isBelow(ZERO, all) ? atLeastZero(over(minus(all, whole(creditNotes)), all)) : ZERO;
  return left.map((amount) => times(amount, factor));
}

const TAXES = {
  "taxes come before coupons": { taxedBases: (fees) => fees.map(({ amount }) => amount) },
  "credit notes come before taxes": {
    taxedBases: (fees, creditNotes) =>
      afterNotes(
        fees.map(({ left }) => left),
        creditNotes,
      ),
  },
  "taxes are rounded fee by fee": {
    invoiceTaxes: (exactByFee) => exactByFee.reduce((taxes, exact) => taxes + nearest(exact), 0n),
  },
  "the taxes of all levels add up": { taxesOf: (levels) => distinct(levels.flat()) },
} satisfies Record<string, Partial<CreditRules>>;

const distinct = (taxes: ReturnType<CreditRules["taxesOf"]>) =>
  taxes.filter(({ code }, index) => taxes.findIndex((other) => other.code === code) === index);

const BALANCES = {
  "wallets pay before credit notes": { payers: ["wallets", "notes"] },
  "the newest credit note pays first": { noteRanks: ({ at }) => [-at] },
  "a credit note pays with all it has": { noteUse: (balance) => balance },
  "a credit note pays for the invoice that it credits": { mayUseNote: ({ isForeign }) => !isForeign },
  "a credit note of another currency pays": { mayUseNote: ({ isOwn }) => !isOwn },
  "wallets go by age alone": { walletRanks: ({ at }) => [at] },
  "a wallet pays with all it has": { walletUse: (balance) => balance },
  "a wallet that has ended pays": { mayUseWallet: ({ isForeign }) => !isForeign, losesRestAtEnd: () => false },
  "a wallet of another currency pays": { mayUseWallet: ({ isOver }) => !isOver },
  "a credit is worth one, whatever its rate": { creditsOf: (amount) => amount },
  "drafts and one-off invoices spend": { isSpending: () => true },
} satisfies Record<string, Partial<CreditRules>>;

const VOIDS = {
  "a void keeps the coupons": { givenBack: ["notes", "wallets"] },
  "a void keeps the credit notes": { givenBack: ["coupons", "wallets"] },
  "a void keeps the prepaid credits": { givenBack: ["coupons", "notes"] },
  "a void revives a coupon that no customer may use any more": { isRevived: () => true },
  "a void leaves a used-up coupon dead": { isRevived: () => false },
  "a void gives back to a wallet that has ended": { returnsToWallet: () => true },
} satisfies Record<string, Partial<CreditRules>>;

const NOTES = {
  "a credit note gives back what coupons had taken off": { couponPart: () => ZERO },
  "the last credit note leaves the drift of the taxes": {
    taken: (expected, left) => (isBelow(whole(left), expected) ? whole(left) : expected),
  },
  "credit notes may come to more than their invoice": { taken: (target) => target },
  "what a voided note credited may be credited again": { countsAsCredited: ({ isVoided }) => !isVoided },
  "what credits paid is refunded in money": { refundable: (creditable) => creditable },
} satisfies Record<string, Partial<CreditRules>>;

/** All of the rules, one of them misread, by what is wrong. */
export const MISREADINGS: readonly (readonly [string, CreditRules])[] = Object.entries({
  ...COUPONS,
  ...TAXES,
  ...BALANCES,
  ...VOIDS,
  ...NOTES,
}).map(([name, misread]: [string, Partial<CreditRules>]) => [name, { ...RULES, ...misread }]);
