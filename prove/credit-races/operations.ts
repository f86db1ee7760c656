/** What a client may do to the credits of a customer. Most of it is valid, unless another client was faster. */
import type { Members, Method } from "../served-api.ts";
import type { Client, Issued, Known } from "./requested.ts";
import { COUPONS, PLANS } from "./world.ts";

const WALLETS_AT_ONCE = 4;
const TIMES_REPORTED = 10;
/** Why something is refused, where it is not too late for the question itself. */
const REFUSALS: readonly number[] = [404, 405, 422];

type Operation = { weight: number; do: (client: Client, known: Known) => Promise<unknown> };

export const oneOf = <Item>(random: () => number, items: readonly Item[]): Item | undefined =>
  items[Math.floor(random() * items.length)];

/** What is no longer possible is often tried again. */
function takeOne<Item>(random: () => number, items: Item[]): Item | undefined {
  const index = Math.floor(random() * items.length);
  return random() < 0.7 ? items.splice(index, 1)[0] : items[index];
}

const upTo = (random: () => number, most: number): number => 1 + Math.floor(random() * most);

async function request(client: Client, method: Method, path: string, body?: unknown): Promise<Members | undefined> {
  const { status, body: answer } = await client.send(method, path, body);
  if (status === 200) {
    client.tally.accepted++;
    return answer;
  }
  if (REFUSALS.includes(status)) client.tally.refused++;
  else if (status === 503) client.tally.unavailable++;
  else {
    client.tally.failed++;
    client.say(`${method} ${path} ${JSON.stringify(body)} answered ${status} ${JSON.stringify(answer)}`);
  }
  return undefined;
}

type ApiInvoice = {
  svc_id: string;
  fees: { svc_id: string; amount_cents: number; item: { code: string } }[];
};

/** The fees in the order of the plans. */
function issuedOf({ svc_id: id, fees }: ApiInvoice): Issued {
  const places = PLANS.map(({ code }): string => code);
  const ordered = fees.toSorted((one, other) => places.indexOf(one.item.code) - places.indexOf(other.item.code));
  return { id, fees: ordered.map((fee) => ({ id: fee.svc_id, cents: fee.amount_cents })) };
}

async function finalize(client: Client, { drafts, issued }: Known): Promise<void> {
  const id = takeOne(client.random, drafts);
  if (id === undefined) return;
  const answer = await request(client, "PUT", `/invoices/${id}/finalize`);
  if (answer === undefined) return;
  client.requested.once.push(`finalize ${id}`);
  issued.push(issuedOf(answer.invoice as ApiInvoice));
}

type Kind = "grant" | "buy" | "void credits";
const MEMBERS = { grant: "granted_credits", buy: "paid_credits", "void credits": "voided_credits" } as const;
const STATUSES: Readonly<Record<string, Kind>> = { granted: "grant", purchased: "buy", voided: "void credits" };

type ApiTransaction = { svc_id: string; transaction_status: string; svc_invoice_id: string | null };

/** Up to 60 credits, in fractions of cents. */
const moveCredits =
  (...kinds: readonly Kind[]) =>
  async (client: Client, { wallets, purchases }: Known): Promise<void> => {
    const { random, requested } = client;
    const walletId = oneOf(random, wallets);
    if (walletId === undefined) return;
    const credits = (upTo(random, 6_000_000) / 100_000).toFixed(4);
    const input = Object.fromEntries(kinds.map((kind) => [MEMBERS[kind], credits]));
    const body = { wallet_transaction: { wallet_id: walletId, ...input } };
    const answer = await request(client, "POST", "/wallet_transactions", body);
    for (const made of (answer?.wallet_transactions ?? []) as ApiTransaction[]) {
      const { svc_id: id, svc_invoice_id: invoiceId } = made;
      const kind = STATUSES[made.transaction_status] ?? "grant";
      requested.credits.set(id, { walletId, invoiceId, do: kind, credits });
      if (invoiceId !== null) purchases.push(invoiceId);
    }
  };

/** Sometimes by all clients that know of it, at once. */
const pay = async (client: Client, id: string | undefined): Promise<void> => {
  if (id === undefined) return;
  const body = { invoice: { payment_status: "succeeded" } };
  const times = client.random() < 0.5 ? TIMES_REPORTED : 1;
  if (times === TIMES_REPORTED) client.tally.paymentsRepeatedTenTimes++;
  await Promise.all(Array.from({ length: times }, () => request(client, "PUT", `/invoices/${id}`, body)));
};

/** Whatever was paid before. */
async function bounce(client: Client, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  await request(client, "PUT", `/invoices/${id}`, { invoice: { payment_status: "failed" } });
}

async function writeOff(client: Client, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const part = client.random() < 0.5 ? {} : { amount_cents: upTo(client.random, 3000) };
  await request(client, "POST", `/invoices/${id}/write_off`, { ...part, reason: "insolvent" });
}

async function voidInvoice(client: Client, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const answer = await request(client, "POST", `/invoices/${id}/void`);
  if (answer !== undefined) client.requested.once.push(`void ${id}`);
}

async function credit(client: Client, invoice: Issued | undefined, known: Known): Promise<void> {
  if (invoice === undefined) return;
  const { random, requested: queried } = client;
  const expected = invoice.fees.map(({ cents }) => (random() < 0.3 ? cents : upTo(random, cents)));
  const only = random() < 0.5 ? Math.floor(random() * expected.length) : undefined;
  const items = expected.flatMap((cents, fee) => (only === undefined || only === fee ? [{ fee, cents }] : []));
  const toApi = items.map(({ fee, cents }) => ({ fee_id: invoice.fees[fee]?.id, amount_cents: cents }));
  const note = { invoice_id: invoice.id, items: toApi };
  const { status, body } = await client.send("POST", "/credit_notes/estimate", { credit_note: note });
  if (status !== 200) return;
  const estimate = body.estimated_credit_note as Record<string, number>;
  const total = (estimate.sub_total_excluding_taxes_amount_cents ?? 0) + (estimate.taxes_amount_cents ?? 0);
  const refundable = estimate.max_refundable_amount_cents ?? 0;
  const refund = estimate.max_creditable_amount_cents === 0 || random() < 0.5 ? refundable : 0;
  const amounts = { credit_amount_cents: total - refund, refund_amount_cents: refund };
  const answer = await request(client, "POST", "/credit_notes", { credit_note: { ...note, ...amounts } });
  if (answer === undefined) return;
  const { svc_id: id } = answer.credit_note as { svc_id: string };
  known.notes.push(id);
  queried.notes.set(id, {
    invoiceId: invoice.id,
    items: items.map(({ fee, cents }) => ({ fee, cents: String(cents) })),
    credit: String(total - refund),
    refund: String(refund),
  });
}

async function creditPurchase(client: Client, known: Known): Promise<void> {
  const id = oneOf(client.random, known.purchases);
  if (id === undefined) return;
  const { body } = await client.send("GET", `/invoices/${id}`);
  await credit(client, issuedOf(body.invoice as ApiInvoice), known);
}

async function voidNote(client: Client, { notes }: Known): Promise<void> {
  const id = takeOne(client.random, notes);
  const answer = id === undefined ? undefined : await request(client, "PUT", `/credit_notes/${id}/void`);
  if (answer !== undefined) client.requested.once.push(`void note ${id}`);
}

async function openWallet(client: Client, { customer, wallets }: Known): Promise<void> {
  const { random, requested } = client;
  if (wallets.length >= WALLETS_AT_ONCE) return;
  const terms = { rate: oneOf(random, ["1", "2", "0.333"]) ?? "1", priority: upTo(random, 3) };
  const { rate: rate_amount, priority } = terms;
  const wallet = { external_customer_id: customer.name, currency: "EUR", rate_amount, priority };
  const answer = await request(client, "POST", "/wallets", { wallet });
  if (answer === undefined) return;
  const { svc_id: id } = answer.wallet as { svc_id: string };
  wallets.push(id);
  requested.wallets.set(id, terms);
}

/** So soon that the others are still at it. */
async function expire(client: Client, { wallets }: Known): Promise<void> {
  const id = takeOne(client.random, wallets);
  if (id === undefined) return;
  const expiration_at = client.now().add({ milliseconds: 50 + upTo(client.random, 1000) });
  await request(client, "PUT", `/wallets/${id}`, { wallet: { expiration_at: expiration_at.toString() } });
}

async function endWallet(client: Client, { wallets }: Known): Promise<void> {
  const id = takeOne(client.random, wallets);
  if (id !== undefined) await request(client, "DELETE", `/wallets/${id}`);
}

async function applyCoupon(client: Client, { customer, coupons }: Known): Promise<void> {
  const code = oneOf(client.random, Object.keys(COUPONS)) ?? "";
  const body = { applied_coupon: { external_customer_id: customer.name, coupon_code: code } };
  const answer = await request(client, "POST", "/applied_coupons", body);
  if (answer === undefined) return;
  const { svc_id: id } = answer.applied_coupon as { svc_id: string };
  coupons.push(id);
  client.requested.coupons.set(id, code);
}

async function endCoupon(client: Client, { customer, coupons }: Known): Promise<void> {
  const id = takeOne(client.random, coupons);
  const path = `/customers/${encodeURIComponent(customer.name)}/applied_coupons/${id}`;
  if (id !== undefined) await request(client, "DELETE", path);
}

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  finalize: { weight: 20, do: finalize },
  grant: { weight: 12, do: moveCredits("grant") },
  buy: { weight: 10, do: moveCredits("buy") },
  buyWithGift: { weight: 2, do: moveCredits("buy", "grant") },
  voidCredits: { weight: 4, do: moveCredits("void credits") },
  bouncePurchase: { weight: 8, do: (client, { purchases }) => bounce(client, oneOf(client.random, purchases)) },
  bounce: { weight: 1, do: (client, { issued }) => bounce(client, oneOf(client.random, issued)?.id) },
  writeOffPurchase: { weight: 1, do: (client, { purchases }) => writeOff(client, oneOf(client.random, purchases)) },
  writeOff: { weight: 1, do: (client, { issued }) => writeOff(client, oneOf(client.random, issued)?.id) },
  settle: { weight: 16, do: (client, { purchases }) => pay(client, oneOf(client.random, purchases)) },
  pay: { weight: 3, do: (client, { issued }) => pay(client, oneOf(client.random, issued)?.id) },
  voidInvoice: { weight: 8, do: (client, { issued }) => voidInvoice(client, oneOf(client.random, issued)?.id) },
  voidPurchase: { weight: 1, do: (client, { purchases }) => voidInvoice(client, oneOf(client.random, purchases)) },
  credit: { weight: 10, do: (client, known) => credit(client, oneOf(client.random, known.issued), known) },
  creditPurchase: { weight: 4, do: creditPurchase },
  voidNote: { weight: 4, do: voidNote },
  openWallet: { weight: 8, do: openWallet },
  expire: { weight: 4, do: expire },
  endWallet: { weight: 1, do: endWallet },
  applyCoupon: { weight: 7, do: applyCoupon },
  endCoupon: { weight: 3, do: endCoupon },
};
