/** What current usage showed a second before a period ended is what its invoice charges, filter by filter and group by group. */
import type { Members } from "../served-api.ts";
import { demand } from "./demand.ts";
import type { ChargeUsage, Fee, Usage } from "./documents.ts";

/** `fees`: of the subscription, on the invoice of the period. */
export function checkCurrentUsage({ charges, inAdvance }: Usage, fees: readonly Fee[]): void {
  const expected = charges.filter(({ charge }) => !inAdvance.has(charge.svc_id)).flatMap(linesOfCharge);
  const found = fees
    .filter(({ item, pay_in_advance, svc_true_up_parent_fee_id: parent }) => {
      return item.type === "charge" && !pay_in_advance && parent === null;
    })
    .map(({ item, ...sums }) => line(item.code, item.grouped_by ?? {}, { ...sums, values: item.filters ?? null }));
  const used = (lines: readonly string[]): string => lines.filter(isUsed).toSorted().join("\n");
  demand("usageIsNotInvoiced", used(expected) === used(found), () => ({ expected, found }));
}

function linesOfCharge({ billable_metric: { code }, filters, grouped_usage: groups, ...sums }: ChargeUsage): string[] {
  const buckets = groups.length > 0 ? groups : [{ ...sums, filters, grouped_by: {} }];
  return buckets.flatMap(({ grouped_by, filters: inside, ...own }) =>
    (inside.length > 0 ? inside : [{ ...own, values: null }]).map((filter) => line(code, grouped_by, filter)),
  );
}

/** A fee of nothing may be left out. */
const isUsed = (text: string): boolean => !text.endsWith(" 0 cents");

type Line = { amount_cents: number; events_count: number | null; values: Members | null };

/** Units are not compared: of a prorated charge usage shows the full ones, a fee those that it is for. */
const line = (code: string, group: Members, { amount_cents, events_count, values }: Line): string =>
  `${code} ${sortedText(values)} ${sortedText(group)}: ${events_count} events, ${amount_cents} cents`;

/** The order of members says nothing. */
export const sortedText = (value: unknown): string =>
  JSON.stringify(value ?? {}, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
