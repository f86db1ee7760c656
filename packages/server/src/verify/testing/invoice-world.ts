/** The finished invoices of all bills in the clean database, and plants that break their promises. */
import {
  A,
  ARREARS,
  ARREARS_OF_B,
  B,
  CHARGE,
  CHARGE_OF_B,
  DRAFT,
  id,
  METRIC,
  METRIC_OF_B,
  PERSONAL,
  REAL,
  S,
} from "./names.ts";
import { day, due, message, type Row, row } from "./rows.ts";
import { billOf, copy, NEW, type Plant } from "./statements.ts";

const MARCH = day("2024-03-01");
const invoiceId = (number: number): string => id(2000 + number);

type BillValues = Record<
  "organization_id" | "id" | "customer_id" | "subscription_id" | "reason" | "occurred_at",
  string
>;

const is = ({ subscription_id, reason, occurred_at }: BillValues, subscriptionId: string, why: string, at: string) =>
  subscription_id === subscriptionId && reason === why && occurred_at === at;

/** The measured usage windows. For one of them in A, the month of the first of two events was dropped. */
const MEASURED = [
  { of: S.plain, plan: ARREARS, version: 2, metric: METRIC, charge: CHARGE, cut: [2, 0], events: 2 },
  { of: S.neighbor, plan: ARREARS_OF_B, version: 1, metric: METRIC_OF_B, charge: CHARGE_OF_B, cut: [1], events: 1 },
];

/** Bills that store their prices: one on a test clock, one on the real clock. The others come from an earlier release. */
const PRICED = [
  { of: S.plain, at: MARCH },
  { of: S.backdated, at: day("2024-04-01") },
];

/** Each has one fee of 100 and tax of 20. The last invoice of a customer is a draft. */
export function invoicesOf(world: readonly Row[]): Row[] {
  const bills = world.filter(({ table }) => table === "bills").map(({ values }) => values as BillValues);
  const counted = new Map<string, number>();
  const take = (organization: string, series: string): number => {
    const key = `${organization} ${series}`;
    counted.set(key, (counted.get(key) ?? 0) + 1);
    return counted.get(key) ?? 0;
  };
  const invoices = bills.flatMap((bill, index): Row[] => {
    if (is(bill, S.trialOver, "periodic", day("2024-04-01"))) return [...invoiceOf(bill, DRAFT, null), ...DRAFT_DUE];
    const { organization_id: organization, customer_id } = bill;
    const number = take(organization, `invoices:${customer_id}`);
    const numbers = {
      sequential_id: number,
      organization_sequential_id: organization === B ? take(B, "invoices") : null,
      number: `${customer_id} ${number}`,
      finalized_at: bill.occurred_at,
    };
    return invoiceOf(bill, invoiceId(index), numbers);
  });
  const counters = [...counted].map(([key, value]) => {
    const [organization, series] = key.split(" ");
    return row("counters", { series, value }, organization);
  });
  return [row("taxes", TAX), row("taxes", TAX, B), ...invoices, ...counters];
}

const DRAFT_DUE = due(DRAFT, "invoice_finalization", day("2024-04-20"), { of: REAL });
const TAX = {
  id: id(1998),
  code: PERSONAL,
  name: PERSONAL,
  rate: 20,
  applied_to_organization: false,
  created_at: MARCH,
  updated_at: MARCH,
};

function invoiceOf(bill: BillValues, invoice: string, numbers: object | null): Row[] {
  const { organization_id: organization, subscription_id, customer_id, id: billId } = bill;
  const measured = MEASURED.find(({ of }) => is(bill, of, "periodic", MARCH));
  const isPriced = PRICED.some(({ of, at }) => is(bill, of, "periodic", at));
  const made = isPriced ? { planId: ARREARS, planVersion: 2 } : {};
  const prices = isPriced ? { priced_plan_id: ARREARS, priced_version: 2, opening_version: 2 } : {};
  const used = measured ? [{ chargeId: measured.charge, events: String(measured.events) }] : [];
  const amounts = { fees_amount_cents: 100, taxes_amount_cents: 20, total_amount_cents: 120 };
  const figures = { feesMinor: "100", taxesMinor: "20", totalMinor: "120" };
  const at = { created_at: bill.occurred_at };
  const document = {
    id: invoice,
    customer_id,
    invoice_type: "subscription",
    status: numbers ? "finalized" : "draft",
    occurred_at: bill.occurred_at,
    currency: "EUR",
    issuing_date: "2024-04-01",
    payment_due_date: "2024-04-01",
    net_payment_term: 0,
    time_zone: "UTC",
    payment_status: "pending",
    payment_overdue: false,
    coupons_amount_cents: 0,
    credit_notes_amount_cents: 0,
    prepaid_credit_amount_cents: 0,
    taxes_rate: 20,
    ...amounts,
    ...numbers,
    made_from: { bills: [{ billId, ...made, inArrears: used, renewed: [] }] },
    derivation: { figures },
    ...at,
    updated_at: bill.occurred_at,
  };
  const line = { invoice_id: invoice, tax_id: TAX.id, tax_code: PERSONAL, tax_name: PERSONAL, tax_rate: 20 };
  return [
    row("invoices", document, organization),
    row("invoice_bills", { bill_id: billId, invoice_id: invoice, subscription_id, ...prices }, organization),
    row("invoice_taxes", { id: billId, ...line, fees_amount_cents: 100, amount_cents: 20, ...at }, organization),
    feeOf(bill, invoice),
    ...(measured ? [windowOf(bill, invoice, measured)] : []),
    ...(numbers ? message(invoice, "invoice.created", organization, { invoice: amounts }) : []),
  ];
}

const SUBSCRIPTION_FEE = { type: "subscription_fee", planAmountMinor: "300", days: 10, freeDays: 0, periodDays: 30 };

const feeOf = (
  { organization_id, subscription_id, customer_id, id: billId, occurred_at }: BillValues,
  invoice: string,
) =>
  row(
    "fees",
    {
      id: billId,
      customer_id,
      subscription_id,
      bill_id: billId,
      invoice_id: invoice,
      fee_key: "subscription",
      line: 0,
      fee_type: "subscription",
      kind: "subscription",
      item_id: subscription_id,
      item_code: PERSONAL,
      item: {},
      grouped_by: {},
      pay_in_advance: false,
      invoiceable: true,
      is_renewal: false,
      regroups: false,
      currency: "EUR",
      amount_cents: 100,
      precise_amount_cents: 100,
      precise_unit_amount: 1,
      precise_coupons_amount_cents: 0,
      taxes_amount_cents: 20,
      taxes_rate: 20,
      units: 1,
      payment_status: "pending",
      derivation: SUBSCRIPTION_FEE,
      created_at: occurred_at,
    },
    organization_id,
  );

const windowOf = (
  bill: BillValues,
  invoice: string,
  { plan, version, metric, cut, events }: (typeof MEASURED)[number],
) =>
  row(
    "counted_windows",
    {
      bill_id: bill.id,
      billable_metric_id: metric,
      invoice_id: invoice,
      external_subscription_id: `${PERSONAL}-plain`,
      code: PERSONAL,
      from_at: day("2024-02-01"),
      to_at: MARCH,
      cut,
      plan_id: plan,
      plan_version: version,
      metric: { aggregation: { type: "count" }, filters: [] },
      events_counted: events,
      events_ignored: 0,
    },
    bill.organization_id,
  );

const bill = (where: string): string => `(select id from bills where ${where})`;
const PLAIN = bill(billOf(S.plain, "periodic", MARCH));
const NEIGHBOR = bill(billOf(S.neighbor, "periodic", MARCH));
const OTHER = bill(billOf(S.upgraded, "periodic"));
const of = (billId: string): string => `id = (select invoice_id from invoice_bills where bill_id = ${billId})`;
const OF_B = `organization_id = '${B}'`;
const countedIn = (billId: string, columns: string): string =>
  `update counted_windows set ${columns} where bill_id = ${billId}`;
const derive = (derivation: object): string =>
  `update fees set derivation = '${JSON.stringify(derivation)}' where id = ${PLAIN}`;
const madeFrom = (events: string): string =>
  `update invoices set made_from = jsonb_set(made_from, '{bills,0,inArrears,0,events}', '"${events}"') where ${of(NEIGHBOR)}`;

const IS_DRAFT = `id = '${DRAFT}'`;
const dropDue = `delete from due_instants where subject_id = '${DRAFT}'`;
const hold = (invoice: string, releasedAt: string): string => `
  insert into second_opinions (organization_id, invoice_id, step, step_at, first, second, differences, held_at, released_at)
  select organization_id, id, 'finalize', occurred_at, '{}', '{}', '[]', '2024-04-01', ${releasedAt} from invoices
  where ${invoice}`;

export const invoiceFalseAlarms: readonly Plant[] = [
  ["a draft is held and has no due instant", `${hold(IS_DRAFT, "null")}; ${dropDue}`],
];

const FIRST_SUM = `id = (select min(id) from invoice_sums where organization_id = '${A}')`;

export const invoicePlants: Readonly<Record<string, readonly Plant[]>> = {
  "bills-are-invoiced-once": [
    ["a bill is on no invoice", `delete from invoice_bills where bill_id = ${bill(billOf(S.ended, "terminating"))}`],
    [
      "a bill is on two invoices",
      `alter table invoice_bills drop constraint invoice_bills_pkey; ${copy("invoice_bills", `bill_id = ${PLAIN}`, { invoice_id: DRAFT })}`,
    ],
    [
      "a bill is on the invoice of another subscription",
      `update invoice_bills set subscription_id = '${S.ended}' where bill_id = ${PLAIN}`,
    ],
  ],
  "invoice-sums-add-up": [
    [
      "an amount is off by a cent",
      `update invoice_sums set total_amount_cents = total_amount_cents + 1 where ${FIRST_SUM}`,
    ],
    [
      "an amount due is off by a cent",
      `update invoice_sums set due_amount_cents = due_amount_cents - 1 where ${FIRST_SUM}`,
    ],
    ["a row is gone", `delete from invoice_sums where ${FIRST_SUM}`],
    ["a row counts twice", copy("invoice_sums", FIRST_SUM, { id: 9_999 })],
    ["what is counted is in another state", `update invoice_sums set payment_overdue = true where ${FIRST_SUM}`],
    ["no invoice is in a state", copy("invoice_sums", FIRST_SUM, { id: 9_999, currency: "JPY" })],
  ],
  "open-invoices-are-due": [
    ["nothing will finalize a draft", `delete from due_instants where subject_id = '${DRAFT}'`],
    ["nothing will make an invoice", `update invoices set status = 'generating' where id = '${DRAFT}'`],
    ["nothing will finalize a released draft", `${hold(IS_DRAFT, "'2024-04-02'")}; ${dropDue}`],
  ],
  "held-invoices-are-open": [["an invoice is finalized and held", hold(of(NEIGHBOR), "null")]],
  "invoices-add-up": [
    ["a fee came later", `${copy("fees", `id = ${PLAIN}`, { id: NEW, fee_key: "again", bill_id: null })}`],
    [
      "a total is wrong",
      `alter table invoices drop constraint invoices_check;
       update invoices set total_amount_cents = 127, derivation = derivation - 'figures' where id = '${DRAFT}'`,
    ],
    ["a tax is gone", `delete from invoice_taxes where invoice_id = '${DRAFT}'`],
  ],
  "finalized-invoices-stay": [
    ["a fee differs from its derivation", derive({ ...SUBSCRIPTION_FEE, days: 11 })],
    ["a usage fee differs from its derivation", derive({ type: "usage", fee: { amountMinor: "99" } })],
    ["a minimum is wrong by a cent", derive({ type: "charge_minimum", requiredMinor: "2005/10", usedMinor: "100" })],
    ["a one-off fee differs from its derivation", derive({ type: "one_off", unitAmountMinor: "33", units: "3" })],
    [
      "the figures differ from the derivation",
      `update invoices set derivation = jsonb_set(derivation, '{figures,taxesMinor}', '"19"') where ${of(PLAIN)}`,
    ],
    [
      "another total was published",
      `update outbox set payload = '{"invoice": {"total_amount_cents": 121}}' where object_id = (select invoice_id from invoice_bills where bill_id = ${PLAIN})`,
    ],
  ],
  "invoices-are-numbered": [
    ["a number is missing", `update invoices set sequential_id = 99 where ${of(PLAIN)}`],
    ["a counter ran ahead", `update counters set value = value + 1 where series like 'invoices:%' and ${OF_B}`],
    ["a counter is gone", `delete from counters where series = 'invoices'`],
    [
      "the numbers of an organization have a gap",
      `update invoices set organization_sequential_id = 9 where ${of(NEIGHBOR)}`,
    ],
    ["a number is used twice", `drop index invoices_number; update invoices set number = 'P' where ${OF_B}`],
  ],
  "windows-count-their-events": [
    ["the snapshot was before its events", countedIn(NEIGHBOR, "cut = '{0}'")],
    ["an event was counted that is missing", `${countedIn(NEIGHBOR, "events_counted = 2")}; ${madeFrom("2")}`],
    ["an event was overlooked", `${countedIn(PLAIN, "cut = '{9, 9}', events_counted = 2")}`],
    [
      "an event was counted without the counted field",
      countedIn(NEIGHBOR, `metric = '{"aggregation": {"type": "sum", "field": "x"}}'`),
    ],
  ],
  "windows-fit-their-invoice": [
    ["an invoice was computed from more events", madeFrom("2")],
    ["a window is gone", `delete from counted_windows where bill_id = ${NEIGHBOR}`],
    [
      "a window belongs to nothing that was billed",
      `update invoices set made_from = '{"bills": []}' where ${of(NEIGHBOR)}`,
    ],
  ],
  "events-are-billed-once": [
    [
      "two windows contain the same event",
      `update invoices set made_from = jsonb_set(made_from, '{bills,0,inArrears}', '[{"chargeId": "${CHARGE}", "events": "1"}]')
         where ${of(OTHER)};
       insert into counted_windows select (jsonb_populate_record(counted, jsonb_build_object(
           'bill_id', link.bill_id, 'invoice_id', link.invoice_id, 'from_at', '${day("2024-02-29")}', 'events_counted', 1
         ))).*
         from counted_windows counted, invoice_bills link where counted.bill_id = ${PLAIN} and link.bill_id = ${OTHER}`,
    ],
  ],
};
