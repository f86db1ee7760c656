/** Makes the sample company through the API: its catalog and customers, then half a year, month by month. */
import {
  ADD_ON,
  CATALOG,
  COUPON,
  CREDITED,
  CUSTOMERS,
  METRICS,
  ONBOARDED,
  PLANS,
  PREPAID,
  type SampleCustomer,
  TAX,
  VOIDED,
  WITH_COUPON,
} from "./company.ts";
import { moveClock } from "./move-clock.ts";
import type { Run } from "./run.ts";
import { createChance, usageOf } from "./usage.ts";

const MONTHS = 6;
/** The day of a month on which the data ends: in the middle, so that a period runs and invoices of the last one are due. */
const LAST_DAY = 18;
/** When the invoices of a month are final, after their grace period. */
const SETTLED_DAY = 6;
const GRACE_DAYS = 3;
const EVENTS_TOGETHER = 100;

export async function makeCompany(run: Run, now: Temporal.Instant): Promise<void> {
  const { call, note, row } = run;
  const months = monthsBefore(now);
  const first = months[0] as Temporal.PlainYearMonth;
  await demandRoom(run);
  const begin = first.toPlainDate({ day: 1 }).subtract({ days: 3 });
  const { test_clock } = await call("POST", "/test_clocks", {
    test_clock: { name: "Sample data", now: instantOn(begin).toString() },
  });
  // From now on, what there is of the company can be removed.
  await note({ test_clock_id: test_clock.svc_id });
  await makeCatalog(run);
  await note({ progress: 5 });
  for (const customer of CUSTOMERS) await makeCustomer(run, customer, test_clock.svc_id);
  await moveClock(run, test_clock.svc_id, instantOn(first.toPlainDate({ day: 1 })));
  await note({ progress: 10, customers: CUSTOMERS.length });
  const subscriptionOf = ({ id }: SampleCustomer) => (row.makings === 1 ? `${id}_main` : `${id}_main_${row.makings}`);
  for (const customer of CUSTOMERS) await subscribe(run, customer, subscriptionOf(customer));
  await note({ progress: 15, invoices: (await invoicesOf(run)).length });
  const chance = createChance();
  for (const [number, month] of months.entries()) {
    const isLast = number === MONTHS - 1;
    const usage = usageOf({ number, month, lastDay: isLast ? LAST_DAY - 1 : 28, subscriptionOf, chance });
    for (let at = 0; at < usage.length; at += EVENTS_TOGETHER)
      await call("POST", "/events/batch", { events: usage.slice(at, at + EVENTS_TOGETHER) });
    const stop = isLast
      ? month.toPlainDate({ day: LAST_DAY })
      : month.add({ months: 1 }).toPlainDate({ day: SETTLED_DAY });
    await moveClock(run, test_clock.svc_id, instantOn(stop));
    const invoices = await invoicesOf(run);
    // Those of the last month are still to be paid.
    if (number < MONTHS - 2) await settlePayments(run, invoices, number);
    if (isLast) await addExceptions(run, invoices);
    await note({ progress: 15 + Math.round((80 * (number + 1)) / MONTHS), invoices: invoices.length });
  }
}

/** Nothing that is not ours is changed, and later removed. */
async function demandRoom({ call }: Run): Promise<void> {
  const ours = [
    ...CUSTOMERS.map(({ id }) => ["customer", "customers", id] as const),
    ...CATALOG.map(({ resource, path, code }) => [resource, path, code] as const),
  ];
  for (const [resource, path, name] of ours)
    if (await call("GET", `/${path}/${name}`, undefined, [`${resource}_not_found`]))
      throw new Error(`The ${resource} ${name} exists already. Delete it, then request the sample data again.`);
}

/** The last one is the month of the last 18th. */
function monthsBefore(now: Temporal.Instant): Temporal.PlainYearMonth[] {
  const today = now.toZonedDateTimeISO("UTC").toPlainDate();
  const last = today.day > LAST_DAY ? today.toPlainYearMonth() : today.toPlainYearMonth().subtract({ months: 1 });
  return Array.from({ length: MONTHS }, (_, index) => last.subtract({ months: MONTHS - 1 - index }));
}

/** The morning of this day in Europe, and the same day in every zone of the customers. */
const instantOn = (date: Temporal.PlainDate): Temporal.Instant =>
  date.toZonedDateTime({ timeZone: "UTC", plainTime: "09:00" }).toInstant();

async function makeCatalog({ call }: Run): Promise<void> {
  await call("POST", "/taxes", { tax: TAX });
  for (const billable_metric of METRICS) await call("POST", "/billable_metrics", { billable_metric });
  for (const plan of PLANS) await call("POST", "/plans", { plan });
  await call("POST", "/coupons", { coupon: COUPON });
  await call("POST", "/add_ons", { add_on: ADD_ON });
}

async function makeCustomer({ call }: Run, customer: SampleCustomer, test_clock_id: string): Promise<void> {
  const { id, name, timezone, country, city, grace = GRACE_DAYS } = customer;
  await call("POST", "/customers", {
    customer: {
      ...{ external_id: id, name, legal_name: name, test_clock_id, currency: "EUR", timezone, country, city },
      ...{ email: `finance@${id.replace("sample_", "")}.example`, net_payment_term: 14 },
      address_line1: `${CUSTOMERS.indexOf(customer) + 10} Harbour Street`,
      billing_configuration: { invoice_grace_period: grace },
    },
  });
}

async function subscribe({ call }: Run, { id, plan }: SampleCustomer, external_id: string): Promise<void> {
  const external_customer_id = id;
  // A year from now, not the rest of this one.
  const billing_time = plan === "enterprise" ? "anniversary" : "calendar";
  const granted_credits = PREPAID[id];
  if (granted_credits !== undefined)
    await call("POST", "/wallets", {
      wallet: { external_customer_id, name: "Prepaid", currency: "EUR", rate_amount: "1", granted_credits },
    });
  if (id === WITH_COUPON)
    await call("POST", "/applied_coupons", { applied_coupon: { external_customer_id, coupon_code: COUPON.code } });
  await call("POST", "/subscriptions", {
    subscription: { external_customer_id, plan_code: `sample_${plan}`, external_id, billing_time },
  });
  if (id === ONBOARDED)
    await call("POST", "/invoices", {
      invoice: { external_customer_id, currency: "EUR", fees: [{ add_on_code: ADD_ON.code, units: "1" }] },
    });
}

type Invoice = {
  svc_id: string;
  status: string;
  payment_status: string;
  issuing_date: string;
  total_amount_cents: number;
  customer: { external_id: string };
};

/** The latest first. */
async function invoicesOf({ call }: Run): Promise<Invoice[]> {
  const found: Invoice[][] = [];
  for (const { id } of CUSTOMERS) {
    const { invoices } = await call("GET", `/invoices?external_customer_id=${id}&per_page=100`);
    found.push(invoices);
  }
  return found.flat();
}

/** Customers pay what is final, but two of them do not, from some month on. */
async function settlePayments(run: Run, invoices: readonly Invoice[], month: number): Promise<void> {
  for (const { svc_id, status, payment_status, customer } of invoices) {
    if (status !== "finalized" || payment_status !== "pending") continue;
    const payer = CUSTOMERS.find(({ id }) => id === customer.external_id);
    if (payer?.owes !== undefined && month >= payer.owes) continue;
    const hasFailed = payer?.fails !== undefined && month >= payer.fails;
    await run.call("PUT", `/invoices/${svc_id}`, { invoice: { payment_status: hasFailed ? "failed" : "succeeded" } });
  }
}

/** What goes wrong in half a year: an invoice that is void, and one that is corrected. */
async function addExceptions(run: Run, invoices: readonly Invoice[]): Promise<void> {
  const ofCustomer = (id: string) =>
    invoices.filter(({ status, customer }) => customer.external_id === id && status === "finalized");
  const unpaid = ofCustomer(VOIDED).find(({ payment_status }) => payment_status === "pending");
  if (unpaid) await run.call("POST", `/invoices/${unpaid.svc_id}/void`);
  const paid = ofCustomer(CREDITED).findLast(({ payment_status }) => payment_status === "succeeded");
  if (!paid) return;
  const { invoice } = await run.call("GET", `/invoices/${paid.svc_id}`);
  const base = invoice.fees.find((fee: { item: { type: string } }) => fee.item.type === "subscription");
  await run.call("POST", "/credit_notes", {
    credit_note: {
      ...{ invoice_id: paid.svc_id, reason: "order_change", description: "A quarter of the base fee" },
      ...{ credit_amount_cents: 1_452, items: [{ fee_id: base.svc_id, amount_cents: 1_200 }] },
    },
  });
}
