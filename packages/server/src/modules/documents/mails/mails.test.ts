import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { givenMailableInvoice } from "../../../testing/sample-records.ts";
import { startMailServer, type TakenMail } from "../../../testing/start-mail-server.ts";
import {
  type Answer,
  type CallOptions,
  makeTestOrganization,
  startTallystick,
} from "../../../testing/start-tallystick.ts";
import { verify } from "../../../verify/index.ts";

const server = await startMailServer();
const published: { type: string; id: string }[] = [];
/** How far the clock of the service is ahead. */
let offsetSeconds = 0;
const { app, call, drain, organizations, platform } = await startTallystick({
  isSandbox: false,
  clock: { now: () => systemClock.now().add({ seconds: offsetSeconds }) },
  settings: {
    SMTP_URL: server.url,
    MAIL_FROM: "billing@platform.example",
    MAIL_RETRY_DELAYS_SECONDS: "60,300",
    MAIL_SANDBOX_RECIPIENTS: "@sandbox.example",
  },
  subscribers: [
    async (_tx, { webhookType, objectId }) => {
      published.push({ type: webhookType, id: objectId });
    },
  ],
});
const theirs = { key: organizations[1]?.key ?? "" };

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

const SELLER = {
  legal_name: "Seller & Söhne GmbH",
  email: "help@seller.example",
  email_settings: ["invoice.finalized", "credit_note.created"],
};
const setUp = async (organization: object, options?: CallOptions) => {
  await must(call("PUT", "/organizations", { organization }, options));
  const add_on = { name: "Set-up", code: "setup", amount_cents: 10_000, amount_currency: "EUR" };
  await must(call("POST", "/add_ons", { add_on }, options));
};
await setUp(SELLER);
await setUp({ ...SELLER, legal_name: "Other" }, theirs);

let customers = 0;
/** Creates a one-off invoice for a new customer. It is finalized at once. */
async function issueInvoice(customer: object, { units = "1", ...options }: { units?: string } & CallOptions = {}) {
  const external_id = `customer ${++customers}`;
  await must(call("POST", "/customers", { customer: { external_id, name: "Buyer", ...customer } }, options));
  const fees = [{ add_on_code: "setup", units, unit_amount_cents: 12_345 }];
  const invoice = { external_customer_id: external_id, currency: "EUR", fees };
  return (await must(call("POST", "/invoices", { invoice }, options))).invoice;
}

const takenFor = (address: string): TakenMail[] => server.received.filter(({ to }) => to.includes(address));
const mailOf = async (invoiceId: string, options?: CallOptions) => {
  const { mails } = await must(call("GET", "/mails?per_page=1000", undefined, options));
  return mails.find((mail: { svc_invoice_id: string | null }) => mail.svc_invoice_id === invoiceId);
};
const resend = (invoiceId: string, options?: CallOptions) =>
  call("POST", `/invoices/${invoiceId}/resend_email`, undefined, options);

const sha256 = (content: string | ArrayBuffer | Buffer): string =>
  createHash("sha256")
    .update(typeof content === "string" ? content : new Uint8Array(content))
    .digest("hex");

test("a finalized invoice is emailed with its PDF to every address of the customer, from the organization", async () => {
  const { svc_id, number } = await issueInvoice({ email: "one@buyer.example, two@buyer.example" });
  await drain();
  const [taken, ...more] = takenFor("one@buyer.example");
  expect(more).toEqual([]);
  expect(taken?.to).toEqual(["one@buyer.example", "two@buyer.example"]);
  const mail = await mailOf(svc_id);
  expect(taken?.parsed).toMatchObject({
    subject: `Invoice ${number} from Seller & Söhne GmbH`,
    from: { name: "Seller & Söhne GmbH", address: "billing@platform.example" },
    replyTo: [{ address: "help@seller.example" }],
    messageId: `<${mail.svc_id}@platform.example>`,
  });
  expect(taken?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  const text = taken?.parsed.text?.replace(/\s+/g, " ");
  expect(text).toContain(`Number: ${number}`);
  expect(text).toContain("Total due: €123.45");
  expect(text).toContain("If you have questions, just reply to this message.");
  expect(taken?.parsed.html).toContain("Seller &amp; Söhne GmbH");
  expect(taken?.parsed.html).not.toMatch(/<(img|a|link|script|iframe)\b|src=|url\(|https?:/i);
  expect(mail).toMatchObject({ status: "sent", attempts: 1, last_error: null, svc_credit_note_id: null });

  const { invoice } = await must(call("POST", `/invoices/${svc_id}/download`));
  const file = await app.inject({ method: "GET", url: invoice.file_url.replace(/^https?:\/\/[^/]+/, "") });
  const [attachment, ...others] = taken?.parsed.attachments ?? [];
  expect(others).toEqual([]);
  expect(attachment).toMatchObject({ filename: `${number}.pdf`, mimeType: "application/pdf" });
  expect(sha256(attachment?.content as ArrayBuffer)).toBe(sha256(file.rawPayload));
  expect(published.filter(({ type, id }) => type === "invoice.generated" && id === svc_id)).toHaveLength(1);
});

test("every customer gets emails in the language of its documents", async () => {
  const locales = [
    ["en", /^Invoice .+ from /, "Your invoice is attached as a PDF file.", "€123.45"],
    ["fr", /^Facture .+ de /, "Vous trouverez votre facture en pièce jointe", "123,45 €"],
    ["de", /^Rechnung .+ von /, "Ihre Rechnung finden Sie als PDF-Datei im Anhang.", "123,45 €"],
    ["es", /^Factura .+ de /, "Adjuntamos su factura en un archivo PDF.", "123,45 €"],
    ["it", /^Fattura .+ da /, "In allegato trova la Sua fattura in formato PDF.", "123,45 €"],
    ["nb", /^Faktura .+ fra /, "Fakturaen din er vedlagt som PDF-fil.", "123,45"],
    ["sv", /^Faktura .+ från /, "Din faktura är bifogad som PDF-fil.", "123,45"],
  ] as const;
  for (const [document_locale] of locales)
    await issueInvoice({ email: `${document_locale}@locale.example`, billing_configuration: { document_locale } });
  await drain();
  for (const [locale, subject, sentence, amount] of locales) {
    const [taken] = takenFor(`${locale}@locale.example`);
    expect(taken?.parsed.subject).toMatch(subject);
    for (const part of [taken?.parsed.text, taken?.parsed.html]) {
      expect(part).toContain(sentence);
      expect(part?.replace(/\s+/g, " ")).toContain(amount);
    }
    expect(taken?.parsed.html).toContain(`<html lang="${locale}">`);
  }
});

test("a credit note is emailed when it is created", async () => {
  const { svc_id, fees, number } = await issueInvoice({ email: "credited@buyer.example" });
  await must(call("PUT", `/invoices/${svc_id}`, { invoice: { payment_status: "succeeded" } }));
  const credit_note = {
    invoice_id: svc_id,
    credit_amount_cents: 1000,
    items: [{ fee_id: fees[0].svc_id, amount_cents: 1000 }],
  };
  const note = (await must(call("POST", "/credit_notes", { credit_note }))).credit_note;
  await drain();
  const [, taken, ...more] = takenFor("credited@buyer.example");
  expect(more).toEqual([]);
  expect(taken?.parsed.subject).toBe(`Credit note ${note.number} from Seller & Söhne GmbH`);
  expect(taken?.parsed.text).toContain(`Invoice credited: ${number}`);
  expect(taken?.parsed.text).toContain("Total credited: €10.00");
  expect(taken?.parsed.attachments).toMatchObject([{ filename: `${note.number}.pdf` }]);
  const { status, body } = await call("POST", `/credit_notes/${note.svc_id}/resend_email`);
  expect([status, body.code]).toEqual([405, "mail_already_sent"]);
});

test("names in an email stay plain text: no markup, no header, no other recipient", async () => {
  const legal_name = `<img src=x onerror=alert(1)>"'&\r\nBcc: victim@example.com\u202E\u2028 <evil@example.com>`;
  await must(call("PUT", "/organizations", { organization: { legal_name } }));
  await issueInvoice({ email: "careful@buyer.example", name: legal_name });
  await drain();
  await must(call("PUT", "/organizations", { organization: { legal_name: SELLER.legal_name } }));
  const [taken] = takenFor("careful@buyer.example");
  expect(taken?.to).toEqual(["careful@buyer.example"]);
  expect(taken?.parsed.from?.address).toBe("billing@platform.example");
  expect(taken?.parsed.bcc ?? []).toEqual([]);
  expect(taken?.parsed.headers.map(({ key }) => key)).not.toContain("bcc");
  expect(taken?.parsed.subject).toContain(`<img src=x onerror=alert(1)>"'& Bcc: victim@example.com`);
  expect(taken?.parsed.subject).not.toMatch(/[\r\n\u202E\u2028]/);
  expect(taken?.parsed.html).toContain("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp; Bcc:");
  expect(taken?.parsed.html).not.toContain("<img");
});

test("no email without an address, without an amount, or if the organization turned emails off", async () => {
  const before = server.received.length;
  const invoices = [
    await issueInvoice({}),
    await issueInvoice({ email: "" }),
    await issueInvoice({ email: "zero@buyer.example" }, { units: "0" }),
  ];
  await drain();
  await must(call("PUT", "/organizations", { organization: { email_settings: ["credit_note.created"] } }));
  invoices.push(await issueInvoice({ email: "unwanted@buyer.example" }));
  await drain();
  await must(call("PUT", "/organizations", { organization: { email_settings: SELLER.email_settings } }));
  expect(server.received.length).toBe(before);
  for (const { svc_id } of invoices) expect(await mailOf(svc_id)).toBeUndefined();
  expect((await resend(invoices[0].svc_id)).body.code).toBe("customer_has_no_email");
  expect((await must(resend(invoices[3].svc_id))).mail.status).toBe("queued");
  await drain();
  expect(takenFor("unwanted@buyer.example")).toHaveLength(1);
});

test("a deferred email is sent again later as the same email, and not before", async () => {
  const email = "busy@buyer.example";
  const [ofRecipient, ofMail] = [[{ code: 450, message: "greylisted" }], [{ code: 451, message: "try later" }]];
  server.answers[email] = { recipient: () => ofRecipient.shift(), data: () => ofMail.shift() };
  const { svc_id } = await issueInvoice({ email });
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "queued", attempts: 1, last_error: "450 greylisted" });
  expect(takenFor(email)).toHaveLength(0);
  offsetSeconds += 59;
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ attempts: 1 });
  offsetSeconds += 8;
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "queued", attempts: 2, last_error: "451 try later" });
  offsetSeconds += 331;
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "sent", attempts: 3, last_error: null });
  const [first, second, ...more] = takenFor(email);
  expect(more).toEqual([]);
  expect(second?.parsed.messageId).toBe(first?.parsed.messageId);
});

test("a refused email is not retried; after the address is fixed, a request sends it", async () => {
  const email = "gone@buyer.example";
  server.answers[email] = { recipient: () => ({ code: 550, message: "no such user" }) };
  const { svc_id, customer } = await issueInvoice({ email });
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "failed", attempts: 1, last_error: "550 no such user" });
  offsetSeconds += 86_400;
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "failed", attempts: 1 });
  const { external_id } = customer;
  await must(call("POST", "/customers", { customer: { external_id, email: "here@buyer.example" } }));
  await must(resend(svc_id));
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "sent", attempts: 2, recipients: ["here@buyer.example"] });
  expect(takenFor("here@buyer.example")).toHaveLength(1);
});

test("an email that one of several recipients refuses is sent and reports the refusal", async () => {
  server.answers["left@buyer.example"] = { recipient: () => ({ code: 550, message: "left" }) };
  const { svc_id } = await issueInvoice({ email: "stays@buyer.example,left@buyer.example" });
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "sent", last_error: "refused for left@buyer.example" });
  expect(takenFor("stays@buyer.example")).toHaveLength(1);
});

test("an email fails after every attempt was deferred", async () => {
  const email = "never@buyer.example";
  server.answers[email] = { recipient: () => ({ code: 421, message: "not now" }) };
  const { svc_id } = await issueInvoice({ email });
  for (let round = 0; round < 4; round++) {
    await drain();
    offsetSeconds += 400;
  }
  expect(await mailOf(svc_id)).toMatchObject({ status: "failed", attempts: 3, last_error: "421 not now" });
});

test("many workers send each email once", async () => {
  await must(call("PUT", "/organizations", { organization: { email_settings: [] } }));
  const invoices: { svc_id: string }[] = [];
  for (let number = 1; number <= 10; number++) invoices.push(await issueInvoice({ email: `n${number}@many.example` }));
  await drain();
  await must(call("PUT", "/organizations", { organization: { email_settings: SELLER.email_settings } }));
  for (const { svc_id } of invoices) await must(resend(svc_id));
  const work = async (): Promise<void> => {
    while (await platform.senders.mails());
  };
  await Promise.all(Array.from({ length: 6 }, work));
  for (const [index, { svc_id }] of invoices.entries()) {
    expect(takenFor(`n${index + 1}@many.example`)).toHaveLength(1);
    expect(await mailOf(svc_id)).toMatchObject({ status: "sent", attempts: 1 });
  }
});

test("after a worker dies during an attempt, its email is unknown and not retried automatically", async () => {
  const email = "lost@buyer.example";
  const answered = Promise.withResolvers<undefined>();
  const arrived = Promise.withResolvers<void>();
  server.answers[email] = {
    data: () => {
      arrived.resolve();
      return answered.promise;
    },
  };
  const { svc_id } = await issueInvoice({ email });
  const worker = drain();
  await arrived.promise;
  expect(await mailOf(svc_id)).toMatchObject({ status: "sending", attempts: 1 });
  expect((await resend(svc_id)).body.code).toBe("mail_already_sent");
  expect(await platform.senders.mails()).toBe(false);
  offsetSeconds += 600;
  expect(await platform.senders.mails()).toBe(true);
  expect(await mailOf(svc_id)).toMatchObject({ status: "unknown", attempts: 1 });
  expect(await platform.senders.mails()).toBe(false);
  // A user requests it again. Before that attempt begins, the lost worker reports that the server accepted the email.
  await must(resend(svc_id));
  answered.resolve(undefined);
  await worker;
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "sent", attempts: 1 });
  expect(takenFor(email)).toHaveLength(1);
});

test("when the server's answer is lost, only a request sends the email again, with the same id", async () => {
  const email = "cut@buyer.example";
  server.answers[email] = {
    data: () => {
      server.dropConnections();
      return undefined;
    },
  };
  const { svc_id } = await issueInvoice({ email });
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "unknown", attempts: 1 });
  offsetSeconds += 86_400;
  await drain();
  expect(takenFor(email)).toHaveLength(1);
  delete server.answers[email];
  await must(resend(svc_id));
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "sent", attempts: 2 });
  const [first, second, ...more] = takenFor(email);
  expect(more).toEqual([]);
  expect(second?.parsed.messageId).toBe(first?.parsed.messageId);
  expect((await resend(svc_id)).body.code).toBe("mail_already_sent");
});

test("when the connection ends before the email is complete, it is retried automatically", async () => {
  const email = "early@buyer.example";
  let isFirst = true;
  server.answers[email] = {
    recipient: () => {
      if (isFirst) server.dropConnections();
      isFirst = false;
      return undefined;
    },
  };
  const { svc_id } = await issueInvoice({ email });
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "queued", attempts: 1 });
  offsetSeconds += 67;
  await drain();
  expect(await mailOf(svc_id)).toMatchObject({ status: "sent", attempts: 2 });
  expect(takenFor(email)).toHaveLength(1);
});

test("an organization sees and sends only its own emails", async () => {
  const { svc_id } = await issueInvoice({ email: "secret@theirs.example" }, theirs);
  await drain();
  expect(takenFor("secret@theirs.example")).toHaveLength(1);
  expect(await mailOf(svc_id)).toBeUndefined();
  expect(await mailOf(svc_id, theirs)).toMatchObject({ status: "sent" });
  expect((await resend(svc_id)).status).toBe(404);
  const { mails } = await must(call("GET", "/mails?status=sent", undefined, theirs));
  expect(mails).toHaveLength(1);
  expect((await call("GET", "/mails?status=nonsense")).status).toBe(422);
});

test("a sandbox sends email only to allowed addresses", async () => {
  const sandbox = await makeTestOrganization(platform, "Sandbox");
  await setUp(SELLER, sandbox);
  const real = await issueInvoice({ email: "real@buyer.example" }, sandbox);
  const mixed = await issueInvoice({ email: "other@buyer.example,Tester@sandbox.example" }, sandbox);
  await drain();
  expect(await mailOf(real.svc_id, sandbox)).toMatchObject({ status: "suppressed", attempts: 0 });
  expect(await mailOf(mixed.svc_id, sandbox)).toMatchObject({ status: "sent", recipients: ["Tester@sandbox.example"] });
  expect(takenFor("real@buyer.example")).toEqual([]);
  expect(takenFor("Tester@sandbox.example").map(({ to }) => to)).toEqual([["Tester@sandbox.example"]]);
});

test("email is off without a configured server, and the status says so", async () => {
  const service = await startTallystick({ organizations: 1, isSandbox: false });
  const organization = { key: service.organizations[0]?.key ?? "" };
  const as: typeof call = (method, path, body) => service.call(method, path, body, organization);
  await must(as("PUT", "/organizations", { organization: { email_settings: ["invoice.finalized"] } }));
  const { svc_id } = (await givenMailableInvoice(as, "off")) as { svc_id: string };
  await service.drain();
  const { mails } = await must(as("GET", "/mails"));
  expect(mails).toEqual([]);
  const { mail } = await must(as("POST", `/invoices/${svc_id}/resend_email`));
  expect(mail).toMatchObject({ status: "suppressed", attempts: 0, last_error: "email is off in this installation" });
  await service.drain();
  expect((await must(as("GET", "/mails?status=suppressed"))).mails).toHaveLength(1);
});

test("afterwards every invariant about emails holds", async () => {
  const findings = await verify(platform.config.DATABASE_URL, { now: platform.clock.now() });
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});
