/** Which records of the sample data the pages show: those with the most to see; and an invoice that is held, which sample data has none of. */
import type { Call } from "../../packages/server/src/testing/call-api.ts";
import { CONTRADICTED_CENTS } from "../../packages/server/src/testing/contradicted-invoices.ts";

/** As they stand in the address of a page. */
export type Records = {
  organization: string;
  customer: string;
  subscription: string;
  invoice: string;
  /** A line of the invoice with tiers. */
  line: string;
  /** A link that makes an owner. */
  setup: string;
};

/** Has prepaid credits. */
const CUSTOMER = "sample_lanterne";
/** Uses more than the tiers of its plan begin with. */
const USER = "sample_tessera";

type Fee = { svc_id: string; item: { code: string }; amount_cents: number };

export async function findRecords(organization: string, call: Call): Promise<Omit<Records, "setup">> {
  const read = async (path: string) => (await call("GET", path)).body;
  const { invoices } = await read(`/invoices?external_customer_id=${USER}&status=finalized&per_page=1`);
  const invoice: string = invoices[0].svc_id;
  const { fees } = (await read(`/invoices/${invoice}`)).invoice as { fees: Fee[] };
  const tokens = fees.filter(({ item }) => item.code === "sample_tokens");
  const [line] = tokens.toSorted((one, other) => other.amount_cents - one.amount_cents);
  if (!line) throw new Error("The newest invoice has no tokens.");
  const { subscriptions } = await read(`/subscriptions?external_customer_id=${USER}`);
  const subscription: string = subscriptions[0].external_id;
  return { organization, customer: CUSTOMER, subscription, invoice, line: line.svc_id };
}

/** The service has to contradict it: see `contradict`. */
export async function holdInvoice(call: Call): Promise<void> {
  const { body } = await call("POST", "/test_clocks", { test_clock: { now: "2026-10-01T00:00:00Z" } });
  const clock: string = body.test_clock.svc_id;
  const terms = {
    interval: "monthly",
    amount_cents: CONTRADICTED_CENTS,
    amount_currency: "EUR",
    pay_in_advance: false,
  };
  await call("POST", "/plans", { plan: { ...terms, code: "fleet", name: "Fleet", charges: [] } });
  await call("POST", "/customers", {
    customer: { external_id: "kestrel", name: "Kestrel Imaging", currency: "EUR", test_clock_id: clock },
  });
  const subscription = { external_customer_id: "kestrel", external_id: "kestrel_fleet", plan_code: "fleet" };
  await call("POST", "/subscriptions", { subscription });
  await call("POST", `/test_clocks/${clock}/advance`, { test_clock: { now: "2026-11-02T00:00:00Z" } });
}
