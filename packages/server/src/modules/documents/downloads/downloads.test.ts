import { extractText, getDocumentProxy } from "unpdf";
import { expect, it, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { type Answer, type CallOptions, startTallystick } from "../../../testing/start-tallystick.ts";
import { type SubscriptionRequest, subscribeCustomer } from "../../../testing/subscribed-customer.ts";

const outbox: { type: string; object: Record<string, unknown> }[] = [];
/** How far the clock of the service is ahead. */
let offsetHours = 0;
const { app, call, drain, organizations } = await startTallystick({
  clock: { now: () => systemClock.now().add({ hours: offsetHours }) },
  subscribers: [
    async (_tx, { webhookType, payload }) => {
      const { object_type, ...message } = JSON.parse(payload);
      outbox.push({ type: webhookType, object: message[object_type] });
    },
  ],
});

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
await must(
  call("PUT", "/organizations", {
    organization: {
      legal_name: "Seller & Söhne GmbH",
      legal_number: "HRB 12345",
      tax_identification_number: "DE123456789",
      address_line1: "Hauptstraße 1",
      zipcode: "10115",
      city: "Berlin",
      country: "DE",
      email: "billing@seller.example",
      billing_configuration: { invoice_footer: "Thank you. Bank: DE02 1203 0000 0000 2020 51" },
    },
  }),
);
await must(call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20" } }));

const BUYER = {
  name: "Ærø Trading",
  legal_name: "Ærø Trading ApS",
  tax_identification_number: "DK87654321",
  address_line1: "Vestergade 7",
  zipcode: "5970",
  city: "Ærøskøbing",
  country: "DK",
  net_payment_term: 30,
  tax_codes: ["vat"],
  metadata: [
    { key: "PO number", value: "PO-4711", display_in_invoice: true },
    { key: "secret", value: "not for paper", display_in_invoice: false },
  ],
};

const tiers = (...members: [number, number | null, string, string][]) =>
  members.map(([from_value, to_value, per_unit_amount, flat_amount]) => ({
    from_value,
    to_value,
    per_unit_amount,
    flat_amount,
  }));

/** A plan with every charge model, and usage for each. */
const everyModel = (customer: Record<string, unknown> = {}): SubscriptionRequest => ({
  now: "2024-01-10T00:00:00Z",
  customer: { ...BUYER, ...customer },
  subscription: { name: "Production" },
  plan: { amount_cents: 3100, minimum_commitment: undefined },
  metrics: {
    calls: { aggregation_type: "count_agg" },
    storage: { aggregation_type: "sum_agg", field_name: "gb" },
    volume: { aggregation_type: "sum_agg", field_name: "gb" },
    packs: { aggregation_type: "sum_agg", field_name: "gb" },
    payments: { aggregation_type: "sum_agg", field_name: "gb" },
    shares: { aggregation_type: "sum_agg", field_name: "gb" },
  },
  charges: [
    { metric: "calls", properties: { amount: "0.0012345" }, invoice_display_name: "API calls" },
    {
      metric: "storage",
      charge_model: "graduated",
      properties: { graduated_ranges: tiers([0, 10, "1.5", "2"], [11, null, "0.5", "0"]) },
    },
    {
      metric: "volume",
      charge_model: "volume",
      properties: { volume_ranges: tiers([0, 10, "1", "0"], [11, null, "0.25", "3"]) },
    },
    { metric: "packs", charge_model: "package", properties: { amount: "7", free_units: 5, package_size: 10 } },
    { metric: "payments", charge_model: "percentage", properties: { rate: "1.3", fixed_amount: "0.2" } },
    {
      metric: "shares",
      charge_model: "graduated_percentage",
      min_amount_cents: 100_000,
      properties: {
        graduated_percentage_ranges: [
          { from_value: 0, to_value: 10, rate: "1", flat_amount: "2" },
          { from_value: 11, to_value: null, rate: "2.5", flat_amount: "0" },
        ],
      },
    },
  ],
});

async function makeInvoice(request: SubscriptionRequest) {
  const made = await subscribeCustomer(call, request);
  for (let sent = 0; sent < 7; sent++) await made.send("calls", {});
  for (const metric of ["storage", "volume", "packs", "payments", "shares"]) await made.send(metric, { gb: 31.25 });
  await made.advanceTo("2024-02-01T12:00:00Z");
  const { invoices } = await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(made.customer)}`));
  return { ...made, invoice: (await must(call("GET", `/invoices/${invoices[0].svc_id}`))).invoice };
}

const GENERATING = { status: 202, headers: { "retry-after": "2" }, body: { status: "generating", retry_after: 2 } };
const askFor = (path: string, options?: CallOptions) => call("POST", `${path}/download`, undefined, options);

/** Requests the file, runs the job that creates it, and requests it again. */
async function fileUrlOf(path: string): Promise<string> {
  expect(await askFor(path)).toMatchObject(GENERATING);
  await drain();
  const body = await must(askFor(path));
  return (body.invoice ?? body.credit_note).file_url;
}

const open = (url: string) => app.inject({ method: "GET", url: url.replace(/^https?:\/\/[^/]+/, "") });

async function fetchPdf(path: string): Promise<{ bytes: Buffer; text: string; pages: number }> {
  const answer = await open(await fileUrlOf(path));
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toBe("application/pdf");
  const bytes = answer.rawPayload;
  const { text, totalPages } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
  return { bytes, text: text.replace(/\s+/g, " "), pages: totalPages };
}

const euros = (cents: number, locale = "en"): string =>
  new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" }).format(cents / 100).replace(/\s+/g, " ");

test("the PDF of an invoice shows the same amounts as its data", async () => {
  const { invoice } = await makeInvoice(everyModel());
  const { text } = await fetchPdf(`/invoices/${invoice.svc_id}`);
  for (const said of [
    `Number ${invoice.number}`,
    "Issue date Feb 1, 2024",
    "Due date Mar 2, 2024",
    "Payment term 30 days",
    "PO number PO-4711",
    "Seller & Söhne GmbH",
    "Hauptstraße 1",
    "10115 Berlin",
    "Tax ID: DE123456789",
    "Registration number: HRB 12345",
    "Ærø Trading ApS",
    "5970 Ærøskøbing",
    "Denmark",
    "Tax ID: DK87654321",
    "Production",
    "Jan 10, 2024 – Jan 31, 2024",
    "Thank you. Bank: DE02 1203 0000 0000 2020 51",
    `Subtotal excluding tax ${euros(invoice.sub_total_excluding_taxes_amount_cents)}`,
    `VAT (20% on ${euros(invoice.fees_amount_cents)}) ${euros(invoice.taxes_amount_cents)}`,
    `Total including tax ${euros(invoice.sub_total_including_taxes_amount_cents)}`,
    `Total due ${euros(invoice.total_amount_cents)}`,
    "Page 1 of",
  ])
    expect(text).toContain(said);
  expect(text).not.toContain("not for paper");
  expect(invoice.fees.length).toBeGreaterThan(7);
  for (const fee of invoice.fees) expect(text).toContain(`20% ${euros(fee.amount_cents)}`);
});

test("usage is broken down by its charge model", async () => {
  const { invoice } = await makeInvoice(everyModel());
  const { text } = await fetchPdf(`/invoices/${invoice.svc_id}`);
  for (const said of [
    "22 of 31 days of €31.00 €22.00",
    "API calls Jan 10, 2024 – Jan 31, 2024 7 €0.0012345",
    "0 to 10 10 €1.50 €15.00 Flat amount €2.00 11 and more 21.25 €0.50 €10.625",
    "11 and more 31.25 €0.25 €7.8125 Flat amount €3.00",
    "Packages of 10: 3, units: 26.25, free units: 5 3 €7.00 €21.00",
    "1.3% of 31.25 31.25 1.3% €0.40625 Per event 1 €0.20 €0.20",
    "0 to 10 10 1% €0.10 Flat amount €2.00 11 and more 21.25 2.5% €0.53125",
    "Minimum: shares",
    "Minimum for 22 of 31 days",
  ])
    expect(text).toContain(said);
});

test("a file is created once, published once, and never changes", async () => {
  const { invoice } = await makeInvoice(everyModel());
  const path = `/invoices/${invoice.svc_id}`;
  for (let requested = 0; requested < 3; requested++) expect(await askFor(path)).toMatchObject(GENERATING);
  await drain();
  const [first, second] = [
    (await must(askFor(path))).invoice,
    (await must(call("POST", `${path}/download_pdf`))).invoice,
  ];
  const { fees: _, subscriptions: __, credits: ___, ...base } = invoice;
  expect(first).toEqual({
    ...base,
    file_url: expect.stringMatching(/^http:\/\/.+\.pdf\?expires=\d+&signature=[\w-]+$/),
  });
  const bytes = (await open(first.file_url)).rawPayload;
  const shown = (await must(call("GET", path))).invoice;
  const listed = (await must(call("GET", `/invoices?search_term=${invoice.number}`))).invoices;
  for (const { file_url } of [shown, ...listed]) expect((await open(file_url)).rawPayload.equals(bytes)).toBe(true);
  expect((await open(second.file_url)).rawPayload.equals(bytes)).toBe(true);
  await drain();
  const published = outbox.filter(
    ({ type, object }) => type === "invoice.generated" && object.svc_id === invoice.svc_id,
  );
  expect(published.map(({ object }) => object)).toEqual([{ ...base, file_url: expect.stringContaining("/files/") }]);
});

test("an issued document does not change when customer and organization change before the file is created", async () => {
  const { invoice, customer } = await makeInvoice(everyModel());
  await must(call("POST", "/customers", { customer: { external_id: customer, legal_name: "Somebody else" } }));
  await must(call("PUT", "/organizations", { organization: { email: "new@seller.example" } }));
  const { text } = await fetchPdf(`/invoices/${invoice.svc_id}`);
  expect(text).toContain("Ærø Trading ApS");
  expect(text).not.toContain("Somebody else");
  expect(text).toContain("billing@seller.example");
  await must(call("PUT", "/organizations", { organization: { email: "billing@seller.example" } }));
});

it.each([
  ["fr", "Facture", "Net à payer"],
  ["de", "Rechnung", "Zu zahlen"],
  ["es", "Factura", "Total a pagar"],
  ["it", "Fattura", "Totale da pagare"],
  ["nb", "Faktura", "Å betale"],
  ["sv", "Faktura", "Att betala"],
])("in %s the document uses that language, with the same amounts", async (locale, title, due) => {
  const { invoice } = await makeInvoice(everyModel({ billing_configuration: { document_locale: locale } }));
  const { text } = await fetchPdf(`/invoices/${invoice.svc_id}`);
  expect(text).toContain(title);
  expect(text).toContain(`${due} ${euros(invoice.total_amount_cents, locale)}`);
  for (const fee of invoice.fees) expect(text).toContain(euros(fee.amount_cents, locale));
});

test("in a language without words the whole document is English", async () => {
  const { invoice } = await makeInvoice(everyModel({ billing_configuration: { document_locale: "ja" } }));
  const { text, bytes } = await fetchPdf(`/invoices/${invoice.svc_id}`);
  expect(text).toContain(`Total due ${euros(invoice.total_amount_cents, "en")}`);
  expect(bytes.toString("latin1")).toMatch(/\/Lang \(en\)/);
});

test("user input is text, never markup, and cannot break a document", async () => {
  const names = {
    name: '#panic("x") *bold* $1/2$ `code` [#eval("1+1")] \\ // <a> @b = c',
    address_line1: "株式会社テスト 🚀 東京",
    address_line2: "شركة الاختبار — בדיקה — 한국 — ไทย — हिन्दी",
    city: "W".repeat(200),
  };
  const { invoice } = await makeInvoice({
    ...everyModel({ ...names, legal_name: null }),
    subscription: { name: "#pagebreak()" },
  });
  const { text } = await fetchPdf(`/invoices/${invoice.svc_id}`);
  expect(text).toContain('#panic("x") *bold* $1/2$ `code` [#eval("1+1")]');
  expect(text).toContain("株式会社テスト □ 東京");
  expect(text).toContain("#pagebreak()");
  expect(text.replace(/[^W]/g, "").length).toBeGreaterThanOrEqual(200);
});

/** A node of the tree, or content, which has no role. */
type Tagged = { role?: string; children?: readonly Tagged[]; type?: string };
const rolesIn = (node: Tagged | null): string[] =>
  node === null ? [] : [...(node.role ? [node.role] : []), ...(node.children ?? []).flatMap(rolesIn)];

/** Only this platform has the compiler that writes tags. */
const HAS_TAGS = process.platform === "linux" && process.arch === "x64";

test("a file conforms to PDF/A-3 as far as the file shows, and has tags where the compiler supports them", async () => {
  const names = { address_line1: "株式会社 한국", address_line2: "شركة — בדיקה — ไทย — हिन्दी" };
  const locale = { billing_configuration: { document_locale: "de" } };
  const { invoice } = await makeInvoice(everyModel({ ...names, ...locale }));
  const { bytes } = await fetchPdf(`/invoices/${invoice.svc_id}`);
  const source = bytes.toString("latin1");
  const count = (pattern: RegExp): number => source.match(pattern)?.length ?? 0;
  // Two weights of our own font and one font for each other script, all embedded in the file.
  expect(count(/\/Type \/FontDescriptor/g)).toBe(8);
  expect(count(/\/FontFile[23] \d+ 0 R/g)).toBe(8);
  expect(count(/\/FontName \/[A-Z]{6}\+Tallystick/g)).toBe(8);
  expect(source).toMatch(/\/OutputIntents ?(\[|\d+ 0 R)/);
  expect(source).toContain("/S /GTS_PDFA1");
  expect(source).toMatch(/\/Lang \(de\)/);
  expect(source).toMatch(/\/ID \[/);
  for (const forbidden of ["/Encrypt", "/JavaScript", "/JS", "/Launch", "/URI", "/EmbeddedFile"])
    expect(source).not.toContain(forbidden);
  const file = await getDocumentProxy(new Uint8Array(bytes));
  const { info, metadata } = await file.getMetadata();
  expect(metadata.get("pdfaid:part")).toBe("3");
  expect(metadata.get("pdfaid:conformance")).toBe(HAS_TAGS ? "A" : "B");
  expect(metadata.get("dc:title")).toBe(`Rechnung ${invoice.number}`);
  expect(info).toMatchObject({ Title: `Rechnung ${invoice.number}`, Language: "de", PDFFormatVersion: "1.7" });
  const roles = new Set(rolesIn(await (await file.getPage(1)).getStructTree()));
  const expected = ["Document", "H1", "H2", "P", "Table", "THead", "TH", "TBody", "TR", "TD"];
  expect(expected.filter((role) => roles.has(role))).toEqual(HAS_TAGS ? expected : []);
  expect((await file.getMarkInfo())?.Marked ?? false).toBe(HAS_TAGS);
});

test("a fee of zero does not stop a document", async () => {
  const made = await subscribeCustomer(call, everyModel());
  await made.send("calls", {});
  await made.send("calls", {});
  await made.advanceTo("2024-02-01T12:00:00Z");
  const { invoices } = await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(made.customer)}`));
  const { text } = await fetchPdf(`/invoices/${invoices[0].svc_id}`);
  expect(text).toContain("API calls");
  expect(text).not.toContain("storage");
});

test("a credit note refers to its invoice and shows the credited amounts", async () => {
  const { invoice } = await makeInvoice(everyModel());
  const fee = invoice.fees.find((each: { item: { type: string } }) => each.item.type === "subscription");
  const { credit_note: note } = await must(
    call("POST", "/credit_notes", {
      credit_note: {
        invoice_id: invoice.svc_id,
        reason: "product_unsatisfactory",
        description: "The *service* was down",
        credit_amount_cents: 1200,
        refund_amount_cents: 0,
        items: [{ fee_id: fee.svc_id, amount_cents: 1000 }],
      },
    }),
  );
  const { text } = await fetchPdf(`/credit_notes/${note.svc_id}`);
  for (const said of [
    `Credit note Number ${note.number}`,
    `Invoice credited ${invoice.number} (Feb 1, 2024)`,
    "Reason Product not satisfactory",
    "The *service* was down",
    "Credited to Ærø Trading ApS",
    `Subtotal excluding tax ${euros(note.sub_total_excluding_taxes_amount_cents)}`,
    `VAT (20% on €10.00) ${euros(note.taxes_amount_cents)}`,
    `Total credited ${euros(note.total_amount_cents)}`,
    `Credit for later invoices ${euros(note.credit_amount_cents)}`,
  ])
    expect(text).toContain(said);
  await drain();
  const reported = outbox.filter(({ type }) => type === "credit_note.generated");
  expect(reported).toMatchObject([{ object: { svc_id: note.svc_id, file_url: expect.stringContaining("/files/") } }]);
  expect(reported[0]?.object).toHaveProperty("customer");
});

test("a draft and a void invoice have no download", async () => {
  const made = await makeInvoice(everyModel({ billing_configuration: { invoice_grace_period: 3 } }));
  const refused = { status: 404, error: "Not Found", code: "invoice_not_found" };
  expect((await askFor(`/invoices/${made.invoice.svc_id}`)).body).toMatchObject(refused);
  const { invoice } = await makeInvoice(everyModel());
  await must(call("POST", `/invoices/${invoice.svc_id}/void`));
  expect((await askFor(`/invoices/${invoice.svc_id}`)).body).toMatchObject(refused);
});

test("a link opens only its own file: not if altered, not for another file, not after it expires", async () => {
  const [one, other] = [await makeInvoice(everyModel()), await makeInvoice(everyModel())];
  const url = new URL(await fileUrlOf(`/invoices/${one.invoice.svc_id}`));
  const otherUrl = new URL(await fileUrlOf(`/invoices/${other.invoice.svc_id}`));
  const get = async (change: (altered: URL) => void): Promise<number> => {
    const altered = new URL(url);
    change(altered);
    return (await open(altered.href)).statusCode;
  };
  expect(await get(() => undefined)).toBe(200);
  const later = String(Number(url.searchParams.get("expires")) + 1);
  const theirs = url.pathname.replace(organizations[0]?.id ?? "", organizations[1]?.id ?? "");
  expect(await get(({ searchParams }) => searchParams.set("expires", later))).toBe(404);
  expect(await get(({ searchParams }) => searchParams.set("signature", "AAAA"))).toBe(404);
  expect(await get(({ searchParams }) => searchParams.delete("signature"))).toBe(404);
  expect(
    await get((altered) => {
      altered.pathname = otherUrl.pathname;
    }),
  ).toBe(404);
  expect(
    await get((altered) => {
      altered.pathname = theirs;
    }),
  ).toBe(404);
  const answer = await open(`${url.pathname}?expires=x&signature=x`);
  expect(answer.json()).toMatchObject({ status: 404, error: "Not Found", code: "file_not_found" });
  offsetHours = 7 * 24 - 1;
  expect(await get(() => undefined)).toBe(200);
  offsetHours = 7 * 24 + 1;
  expect(await get(() => undefined)).toBe(404);
  offsetHours = 0;
});
