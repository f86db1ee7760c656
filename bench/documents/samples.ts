/** Very different documents, created through the API for visual review. */
import { billMonth } from "./month.ts";
import { addTax, BERLIN, BUYER, type Sample, SPRINGFIELD, sellAs, showLogo, speaking, tiers } from "./parties.ts";
import type { Studio } from "./studio.ts";
import { TEXT_SAMPLES } from "./text-samples.ts";

const shares = (...list: [number, number | null, string, string][]) =>
  list.map(([from_value, to_value, rate, flat_amount]) => ({ from_value, to_value, rate, flat_amount }));

const EVERY_MODEL = [
  { name: "API calls", events: [7, 8, 9], properties: { amount: "0.0012345" } },
  {
    name: "Storage",
    events: [31.25, 1200],
    charge_model: "graduated",
    properties: { graduated_ranges: tiers([0, 10, "1.5", "2"], [11, 1000, "0.5", "0"], [1001, null, "0.01", "10"]) },
  },
  {
    name: "Traffic",
    events: [31.25],
    charge_model: "volume",
    properties: { volume_ranges: tiers([0, 10, "1", "0"], [11, null, "0.25", "3"]) },
  },
  {
    name: "Messages",
    events: [31],
    charge_model: "package",
    properties: { amount: "7", free_units: 5, package_size: 10 },
  },
  {
    name: "Payments",
    events: [100.5, 20, 4_000, 1],
    charge_model: "percentage",
    properties: {
      rate: "1.3",
      fixed_amount: "0.2",
      free_units_per_events: 1,
      free_units_per_total_aggregation: "0",
      per_transaction_min_amount: "0.5",
      per_transaction_max_amount: "25",
    },
  },
  {
    name: "Revenue share",
    events: [31.25],
    charge_model: "graduated_percentage",
    min_amount_cents: 100_000,
    properties: { graduated_percentage_ranges: shares([0, 10, "1", "2"], [11, null, "2.5", "0"]) },
  },
];

const REGIONS = Array.from(
  { length: 40 },
  (_, index) => `eu-${["north", "south", "east", "west"][index % 4]}-${index}`,
);

export const SAMPLES: Readonly<Record<string, Sample>> = {
  ...TEXT_SAMPLES,
  "01-one-charge-en": async (studio) => {
    await sellAs(studio, SPRINGFIELD, null);
    const charges = [{ name: "API calls", events: [1500], properties: { amount: "0.02" } }];
    return billMonth(studio, { customer: { name: "Acme" }, plan: { amount_currency: "USD" }, charges });
  },
  "02-every-model-de": async (studio) => {
    await sellAs(studio, BERLIN);
    await showLogo(studio, 640, 160);
    await addTax(studio, "vat", { name: "USt.", rate: "19" });
    return billMonth(studio, {
      customer: { ...BUYER, ...speaking("de"), tax_codes: ["vat"] },
      plan: { amount_cents: 3100, minimum_commitment: { amount_cents: 500_000 } },
      begins: "2026-01-10T00:00:00Z",
      subscription: { name: "Production" },
      charges: EVERY_MODEL,
    });
  },
  "03-many-pages-fr": async (studio) => {
    await sellAs(studio, BERLIN);
    const grouped = { grouped_by: ["region"] };
    const events = REGIONS.map((region, index) => ({ v: 12.5 * (index + 1), region }));
    const ranges = tiers([0, 10, "1.5", "2"], [11, 100, "0.5", "0"], [101, null, "0.01", "10"]);
    return billMonth(studio, {
      customer: { ...BUYER, ...speaking("fr"), tax_codes: ["vat"] },
      plan: { amount_cents: 9900 },
      charges: [
        { name: "Heures de calcul", events, properties: { amount: "0.0475", ...grouped } },
        { name: "Stockage", events, charge_model: "graduated", properties: { graduated_ranges: ranges, ...grouped } },
      ],
    });
  },
  "04-all-credits-it": async (studio) => {
    await sellAs(studio, BERLIN);
    return billMonth(studio, {
      customer: { ...BUYER, ...speaking("it"), tax_codes: ["vat"], currency: "EUR" },
      plan: { name: "Scala", amount_cents: 100_000 },
      charges: EVERY_MODEL.slice(0, 2),
      before: (customer) => giveCredits(studio, customer),
    });
  },
  "05-taxes-es": async (studio) => {
    await sellAs(studio, BERLIN);
    const article = "Exento: artículo 20.Uno de la Ley 37/1992. Inversión del sujeto pasivo / Reverse charge.";
    await addTax(studio, "iva", { name: "IVA", rate: "21" });
    await addTax(studio, "reduced", { name: "IVA reducido", rate: "10" });
    await addTax(studio, "city", { name: "Recargo municipal", rate: "8.875" });
    await addTax(studio, "exempt", { name: "IVA exento", rate: "0", description: article });
    const rates = [["iva"], ["reduced", "city"], ["exempt"]];
    const charges = rates.map((tax_codes, index) => ({ name: `Servicio ${index + 1}`, events: [33.33], tax_codes }));
    return billMonth(studio, {
      customer: { ...BUYER, ...speaking("es") },
      charges: [...charges, { name: "Sin impuesto", events: [10] }],
    });
  },
  "06-zero-nb": async (studio) => {
    await sellAs(studio, BERLIN, null);
    return billMonth(studio, { customer: { name: "Null AS", country: "NO", ...speaking("nb") } });
  },
  "07-yen-sv": async (studio) => {
    await sellAs(studio, BERLIN);
    return billMonth(studio, {
      customer: { ...BUYER, ...speaking("sv"), tax_codes: ["vat"] },
      plan: { amount_cents: 123_456, amount_currency: "JPY" },
      charges: [{ name: "Anrop", events: [1234.5678], properties: { amount: "0.3333" } }],
    });
  },
  "08-dinar-en": async (studio) => {
    await sellAs(studio, SPRINGFIELD);
    return billMonth(studio, {
      customer: { ...BUYER, country: "KW", tax_codes: ["vat"] },
      plan: { amount_cents: 1_234_567_890_123, amount_currency: "KWD" },
      charges: [{ name: "Calls", events: [987_654_321.123456], properties: { amount: "0.000000000012345" } }],
    });
  },
  "13-credit-note-sv": async (studio) => {
    await sellAs(studio, BERLIN);
    const path = await billMonth(studio, {
      customer: { ...BUYER, ...speaking("sv"), tax_codes: ["vat"] },
      plan: { amount_cents: 50_000 },
      charges: EVERY_MODEL.slice(0, 3),
    });
    return creditPart(studio, path, "Tjänsten låg nere den 12 januari.");
  },
  "14-prepaid-credits-fr": async (studio) => {
    await sellAs(studio, BERLIN);
    await studio.must("POST", "/customers", {
      customer: { external_id: "prepaid", ...BUYER, currency: "EUR", ...speaking("fr") },
    });
    const wallet = { external_customer_id: "prepaid", name: "Prépayé", rate_amount: "0.5", currency: "EUR" };
    await studio.must("POST", "/wallets", { wallet: { ...wallet, paid_credits: "1000", granted_credits: "0" } });
    const [invoice] = (await studio.must("GET", "/invoices?external_customer_id=prepaid")).invoices;
    return `/invoices/${invoice.svc_id}`;
  },
};

async function giveCredits({ must, drain }: Studio, customer: string): Promise<void> {
  const coupon = { frequency: "once", expiration: "no_expiration" };
  const fixed = { coupon_type: "fixed_amount", amount_cents: 1000, amount_currency: "EUR" };
  await must("POST", "/coupons", { coupon: { ...coupon, ...fixed, code: "welcome", name: "Benvenuto" } });
  const share = { coupon_type: "percentage", percentage_rate: "12.5" };
  await must("POST", "/coupons", { coupon: { ...coupon, ...share, code: "spring", name: "Primavera 12,5 %" } });
  for (const coupon_code of ["welcome", "spring"])
    await must("POST", "/applied_coupons", { applied_coupon: { external_customer_id: customer, coupon_code } });
  const add_on = { name: "Attivazione", code: "set-up", amount_cents: 20_000, amount_currency: "EUR" };
  await must("POST", "/add_ons", { add_on });
  const invoice = { external_customer_id: customer, currency: "EUR", fees: [{ add_on_code: "set-up", units: 1 }] };
  const { svc_id } = (await must("POST", "/invoices", { invoice })).invoice;
  await must("PUT", `/invoices/${svc_id}`, { invoice: { payment_status: "succeeded" } });
  await creditPart({ must }, `/invoices/${svc_id}`, "");
  const wallet = { external_customer_id: customer, name: "Credito", rate_amount: "1", currency: "EUR" };
  await must("POST", "/wallets", { wallet: { ...wallet, paid_credits: "0", granted_credits: "150" } });
  await drain();
}

/** Credits half of the first fee. Returns the path of the note. */
async function creditPart({ must }: Pick<Studio, "must">, path: string, description: string): Promise<string> {
  const { svc_id, fees } = (await must("GET", path)).invoice;
  const items = [{ fee_id: fees[0].svc_id, amount_cents: Math.floor(fees[0].amount_cents / 2) }];
  const { estimated_credit_note: estimate } = await must("POST", "/credit_notes/estimate", {
    credit_note: { invoice_id: svc_id, items },
  });
  const { credit_note } = await must("POST", "/credit_notes", {
    credit_note: {
      invoice_id: svc_id,
      reason: "product_unsatisfactory",
      description,
      credit_amount_cents: estimate.max_creditable_amount_cents,
      refund_amount_cents: 0,
      items,
    },
  });
  return `/credit_notes/${credit_note.svc_id}`;
}
