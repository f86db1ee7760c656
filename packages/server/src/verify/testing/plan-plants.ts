/** Plants of the invariants about bills after a plan changes or is deleted. */
import { ADVANCE, ARREARS, CHARGE, DRAFT, METRIC, S, YEARLY } from "./names.ts";
import { billOf, copy, NEW, type Plant } from "./statements.ts";

const APRIL = "2024-04-01T00:00:00Z";
const HOURS_AGO = "2024-04-10T10:00:00Z";
const CLOSING = billOf(S.upgraded, "terminating");
const BILLING = billOf(S.upgrade, "periodic", APRIL);

/** Both plans of the upgrade charge the metric, in all versions. */
const bothCharge = (old: object): string => `
  update billable_metrics set recurring = true, aggregation_type = 'sum_agg', field_name = 'seats' where id = '${METRIC}';
  update definition_versions set body = body || '{"recurring": true, "aggregation_type": "sum_agg", "field_name": "seats"}'
    where definition_id = '${METRIC}';
  update plan_versions set terms = jsonb_set(newest.terms, '{charges,0}', newest.terms #> '{charges,0}' || '${JSON.stringify(old)}')
    from plan_versions newest where plan_versions.plan_id = '${ARREARS}' and newest.plan_id = '${ARREARS}' and newest.version = 2;
  ${copy("charges", `id = '${CHARGE}'`, { id: NEW, plan_id: YEARLY })};
  update plan_versions set terms = terms || '{"charges": [{"id": "${NEW}", "billable_metric_id": "${METRIC}", "filters": []}]}'
    where plan_id = '${YEARLY}'`;

const setParts = (where: string, parts: object): string =>
  `update bills set windows = windows || '${JSON.stringify({ parts })}' where ${where}`;

/** A standalone fee of a charge on a bill of the plan change. */
const feeOf = (where: string, changes: object): string =>
  copy("fees", `bill_id = (select id from bills where ${where})`, {
    invoice_id: null,
    invoiceable: false,
    fee_type: "charge",
    kind: "usage",
    fee_key: "planted",
    to_at: "2024-04-01T00:00:00Z",
    ...changes,
  });

const billedTwice = `${bothCharge({ pay_in_advance: true })};
  ${feeOf(CLOSING, { id: NEW, charge_id: CHARGE, from_at: "2024-03-01T00:00:00Z" })};
  ${feeOf(BILLING, { id: CHARGE, charge_id: NEW, from_at: "2024-03-20T08:00:00Z" })}`;

export const planPlants: Readonly<Record<string, readonly Plant[]>> = {
  "recurring-days-are-billed": [
    [
      "the days after the change are not billed",
      `${bothCharge({})}; ${setParts(CLOSING, { [CHARGE]: { type: "days", firstDay: "2024-03-01", lastDay: "2024-03-19" } })};
       ${setParts(BILLING, { [NEW]: { type: "left_out" } })}`,
    ],
    ["both plans bill the whole period", `${bothCharge({})}; ${setParts(CLOSING, {})}; ${setParts(BILLING, {})}`],
    ["an earlier release billed a period that was paid in advance once more", billedTwice],
  ],
  "deleted-plans-are-closed": [
    ["a deleted plan has active subscriptions", `update plans set deleted_at = '${HOURS_AGO}' where id = '${ADVANCE}'`],
    [
      "a draft of a deleted plan waits",
      `${copy("plans", `id = '${ADVANCE}'`, { id: NEW, code: NEW, deleted_at: HOURS_AGO })};
       ${copy("plan_versions", `plan_id = '${ADVANCE}'`, { plan_id: NEW })};
       update subscriptions set plan_id = '${NEW}' where id = '${S.endedOnBoundary}';
       update invoice_bills set invoice_id = '${DRAFT}'
         where bill_id = (select id from bills where ${billOf(S.endedOnBoundary, "terminating")})`,
    ],
  ],
};

export const planFalseAlarms: readonly Plant[] = [
  ["a plan was deleted just now", `update plans set deleted_at = '2024-04-10T11:30:00Z' where id = '${ADVANCE}'`],
  [
    "the new plan bills the days from the change on",
    `${bothCharge({})}; ${setParts(CLOSING, { [CHARGE]: { type: "days", firstDay: "2024-03-01", lastDay: "2024-03-19" } })};
     ${setParts(BILLING, { [NEW]: { type: "days", firstDay: "2024-03-20", lastDay: "2024-03-31" } })}`,
  ],
];
