/** Reads all documents of a customer through the API. */
import {
  type Coupon,
  type Documents,
  type Fee,
  type Invoice,
  minorOf,
  type Note,
  type Subscription,
  type Transaction,
  type Wallet,
} from "./documents.ts";
import type { List } from "./marks.ts";
import type { Session } from "./session.ts";

const STATUSES = ["pending", "active", "terminated", "canceled"].map((status) => `status[]=${status}`).join("&");

/** Without filters: a deleted customer is found by none, and the organization has no other. Only what is wanted is read, the rest stays. */
export async function readDocuments(
  session: Session,
  before: Documents,
  isRequested: (list: List) => boolean,
): Promise<Documents> {
  const read = async <Item>(path: string, member: string): Promise<Item[]> => {
    const join = path.includes("?") ? "&" : "?";
    const body = await session.must<Record<string, Item[]>>("GET", `${path}${join}per_page=1000`);
    return body[member] ?? [];
  };
  const listed = async <Item>(list: List, path: string, known: readonly Item[]): Promise<readonly Item[]> =>
    isRequested(list) ? read<Item>(path, path.slice(1).replace(/\?.*/, "")) : known;
  const wallets = await listed<Wallet>("wallets", "/wallets", before.wallets);
  const fees = await listed<Fee>("alone", "/fees", before.alone);
  return {
    invoices: isRequested("invoices") ? await readInvoices(session, read, before.invoices) : before.invoices,
    wallets,
    transactions: isRequested("transactions") ? await readTransactions(session, read, wallets) : before.transactions,
    notes: await listed<Note>("notes", "/credit_notes", before.notes),
    coupons: await listed<Coupon>("coupons", "/applied_coupons", before.coupons),
    subscriptions: await listed<Subscription>("subscriptions", `/subscriptions?${STATUSES}`, before.subscriptions),
    alone: fees.filter((fee) => fee.svc_invoice_id === null),
  };
}

type Read = <Item>(path: string, member: string) => Promise<Item[]>;

async function readInvoices(session: Session, read: Read, before: readonly Invoice[]): Promise<Invoice[]> {
  const known = new Map(before.map((invoice) => [invoice.svc_id, invoice]));
  const invoices: Invoice[] = [];
  for (const listed of await read<Invoice>("/invoices", "invoices"))
    invoices.push(await extend(session, listed, known.get(listed.svc_id)));
  return invoices;
}

async function readTransactions(session: Session, read: Read, wallets: readonly Wallet[]): Promise<Transaction[]> {
  const transactions: Transaction[] = [];
  for (const { svc_id } of wallets)
    transactions.push(...(await read<Transaction>(`/wallets/${svc_id}/wallet_transactions`, "wallet_transactions")));
  return transactions.map((one) => ({ ...one, minor: minorOf(one.amount, session.exponent) }));
}

/** With fees and credits: read again of a draft, and where a status has changed, for that of its fees follows. */
async function extend(session: Session, listed: Invoice, known: Invoice | undefined): Promise<Invoice> {
  const isSame =
    known &&
    known.status !== "draft" &&
    known.status === listed.status &&
    known.payment_status === listed.payment_status;
  if (isSame) return { ...known, ...listed };
  return (await session.must<{ invoice: Invoice }>("GET", `/invoices/${listed.svc_id}`)).invoice;
}
