/** All that is stored of some customers beside what the oracle says of them. */
import { isDeepStrictEqual } from "node:util";
import type { Records } from "../invoice-checks.ts";
import { type InvoiceAnswer, rational, toText } from "../oracle/index.ts";
import type { Replay } from "./replay.ts";

const KINDS = ["invoice", "note", "wallet", "coupon"] as const;
type Kind = (typeof KINDS)[number];
type Figures = Record<string, unknown>;
type Stored = { kind: Kind; id: string; customer_id: string; figures: Figures };

const STORED = `
  select 'wallet' as kind, wallet.id, wallet.customer_id, jsonb_build_object(
    'balance', wallet.balance_cents::text,
    'consumed', wallet.consumed_amount_cents::text, 'credits', wallet.consumed_credits::text
  ) as figures
  from wallets wallet where wallet.customer_id = any($1::uuid[])
  union all
  select 'note', note.id, note.customer_id, jsonb_build_object(
    'coupons', note.coupons_adjustment_amount_cents::text, 'taxes', note.taxes_amount_cents::text,
    'credit', note.credit_amount_cents::text, 'refund', note.refund_amount_cents::text,
    'balance', note.balance_amount_cents::text, 'status', note.credit_status
  )
  from credit_notes note where note.customer_id = any($1::uuid[])
  union all
  select 'coupon', coupon.id, coupon.customer_id, jsonb_build_object(
    'left', coalesce(coupon.amount_left_cents, coupon.uses_left)::text, 'status', coupon.status
  )
  from applied_coupons coupon where coupon.customer_id = any($1::uuid[])
  union all
  select 'invoice', invoice.id, invoice.customer_id, jsonb_build_object(
    'coupons', invoice.coupons_amount_cents::text, 'taxes', invoice.taxes_amount_cents::text,
    'creditNotes', invoice.credit_notes_amount_cents::text, 'prepaid', invoice.prepaid_credit_amount_cents::text,
    'total', invoice.total_amount_cents::text,
    'uses', (
      select coalesce(jsonb_object_agg(used.owner_id, used.amount_cents::text), '{}') from (
        select credit.owner_id, credit.amount_cents from invoice_credits credit
        where credit.organization_id = invoice.organization_id and credit.invoice_id = invoice.id
        union all
        select moved.wallet_id, moved.amount_cents from wallet_transactions moved
        where moved.organization_id = invoice.organization_id and moved.invoice_id = invoice.id
          and moved.transaction_status = 'invoiced'
      ) as used
    )
  )
  from invoices invoice where invoice.customer_id = any($1::uuid[]) and invoice.status <> 'draft'`;

export async function readStored(
  records: Records,
  customerIds: readonly string[],
): Promise<ReadonlyMap<string, Stored[]>> {
  const { rows } = await records.query<Stored>(STORED, [customerIds]);
  return Map.groupBy(rows, ({ customer_id }) => customer_id);
}

export type Difference = { kind: Kind; text: string };

export function compare(replay: Replay, stored: readonly Stored[]): Difference[] {
  const expected = expectedOf(replay);
  const found = new Map(stored.map(({ kind, id, figures }) => [`${kind} ${id}`, inRationals(figures)]));
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) => {
    const [requested, is] = [expected.get(name), found.get(name)];
    if (isDeepStrictEqual(requested, is)) return [];
    const kind = KINDS.find((one) => name.startsWith(one)) ?? "invoice";
    return [{ kind, text: `${name} is ${JSON.stringify(is)} instead of ${JSON.stringify(requested)}` }];
  });
}

const inRationals = ({ credits, ...figures }: Figures): Figures =>
  credits === undefined ? figures : { ...figures, credits: toText(rational(String(credits))) };

function expectedOf({ places, outcomes }: Replay): ReadonlyMap<string, Figures> {
  const { coupons = [], notes = [], wallets = [] } = outcomes.at(-1)?.holdings ?? {};
  const all = new Map<string, Figures>();
  for (const [place, { balance, consumed, consumedCredits }] of wallets.entries()) {
    const amounts = { balance: String(balance), consumed: String(consumed) };
    all.set(`wallet ${places.wallets[place]}`, { ...amounts, credits: toText(consumedCredits) });
  }
  for (const [place, { cents, uses, status }] of coupons.entries()) {
    const left = cents ?? uses;
    all.set(`coupon ${places.coupons[place]}`, { left: left === undefined ? null : String(left), status });
  }
  const made = outcomes.flatMap(({ answer }): Figures[] => noteIn(answer));
  for (const [place, { balance, status }] of notes.entries())
    all.set(`note ${places.notes[place]}`, { ...made[place], balance: String(balance), status });
  for (const { answer, taken } of outcomes) {
    if (taken.step.do === "finalize" && answer !== null)
      all.set(`invoice ${taken.happening?.id}`, invoiceOf(places, answer as InvoiceAnswer));
  }
  addPurchases(all, { places, outcomes });
  return all;
}

function noteIn(answer: unknown): Figures[] {
  if (typeof answer !== "object" || answer === null || !("note" in answer)) return [];
  const { couponsAdjustment, taxes, credit, refund } = answer.note as Record<string, bigint>;
  return [{ coupons: String(couponsAdjustment), taxes: String(taxes), credit: String(credit), refund: String(refund) }];
}

function invoiceOf(places: Replay["places"], { uses, ...answer }: InvoiceAnswer): Figures {
  const { coupons, taxes, creditNotes, prepaid, total } = answer;
  const used = (["coupons", "notes", "wallets"] as const).flatMap((kind) =>
    uses[kind].flatMap((cents, place) => (cents === undefined ? [] : [[places[kind][place], String(cents)]])),
  );
  return {
    coupons: String(coupons),
    taxes: String(taxes),
    creditNotes: String(creditNotes),
    prepaid: String(prepaid),
    total: String(total),
    uses: Object.fromEntries(used),
  };
}

/** In the order in which they were bought, after the drafts. */
function addPurchases(all: Map<string, Figures>, { places, outcomes }: Pick<Replay, "places" | "outcomes">): void {
  const bought = outcomes.filter(({ taken: { step } }) => step.do === "buy");
  const first = places.invoices.length - bought.length;
  for (const [index, { answer }] of bought.entries()) {
    if (typeof answer !== "object" || answer === null) continue;
    const { invoice } = answer as { invoice: InvoiceAnswer };
    all.set(`invoice ${places.invoices[first + index]}`, invoiceOf(places, invoice));
  }
}
