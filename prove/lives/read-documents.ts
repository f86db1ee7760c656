/** Reads all documents of a customer through the API. */
import type { Coupon, Documents, Fee, Invoice, Note, Subscription, Transaction, Wallet } from "./documents.ts";
import type { Session } from "./session.ts";

const STATUSES = ["pending", "active", "terminated", "canceled"].map((status) => `status[]=${status}`).join("&");

/** Without filters: a deleted customer is found by none, and the organization has no other. */
export async function readDocuments(session: Session, before: Documents): Promise<Documents> {
  const list = async <Item>(path: string, member: string): Promise<Item[]> => {
    const join = path.includes("?") ? "&" : "?";
    const body = await session.must<Record<string, Item[]>>("GET", `${path}${join}per_page=1000`);
    return body[member] ?? [];
  };
  const known = new Map(before.invoices.map((invoice) => [invoice.svc_id, invoice]));
  const invoices: Invoice[] = [];
  for (const listed of await list<Invoice>("/invoices", "invoices"))
    invoices.push(await extend(session, listed, known.get(listed.svc_id)));
  const wallets = await list<Wallet>("/wallets", "wallets");
  const transactions: Transaction[] = [];
  for (const { svc_id } of wallets)
    transactions.push(...(await list<Transaction>(`/wallets/${svc_id}/wallet_transactions`, "wallet_transactions")));
  return {
    invoices,
    wallets,
    transactions,
    notes: await list<Note>("/credit_notes", "credit_notes"),
    coupons: await list<Coupon>("/applied_coupons", "applied_coupons"),
    subscriptions: await list<Subscription>(`/subscriptions?${STATUSES}`, "subscriptions"),
    alone: (await list<Fee>("/fees", "fees")).filter((fee) => fee.svc_invoice_id === null),
  };
}

/** With fees and credits: read once of what cannot change, again of a draft. */
async function extend(session: Session, listed: Invoice, known: Invoice | undefined): Promise<Invoice> {
  const isSame = known && known.status !== "draft" && known.status === listed.status;
  if (isSame) return { ...listed, fees: known.fees, credits: known.credits };
  return (await session.must<{ invoice: Invoice }>("GET", `/invoices/${listed.svc_id}`)).invoice;
}
