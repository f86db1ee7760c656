/** What happens to invoices, credit notes and fees that stand alone. */
import type { Dice } from "./dice.ts";
import type { Invoice } from "./documents.ts";
import type { StepKind } from "./step-kind.ts";
import { CUSTOMER, type World } from "./world.ts";

const finalOnes = ({ documents }: World): Invoice[] => documents.invoices.filter(({ status }) => status !== "draft");
const drafts = ({ documents }: World): Invoice[] => documents.invoices.filter(({ status }) => status === "draft");

const setPayment =
  (statuses: readonly string[], which: (invoice: Invoice) => boolean): StepKind["take"] =>
  async (world, dice) => {
    const invoice = dice.anyOf(finalOnes(world).filter(which));
    if (!invoice) return;
    const payment_status = dice.oneOf(statuses);
    await world.session.ask("PUT", `/invoices/${invoice.svc_id}`, { invoice: { payment_status } });
  };

const isOpen = (invoice: Invoice): boolean => invoice.payment_status !== "succeeded" && invoice.status !== "voided";
const isPaid = (invoice: Invoice): boolean => invoice.payment_status === "succeeded" && invoice.total_amount_cents > 0;

/** Everything that is open, as a customer who comes back does. */
async function payAll(world: World): Promise<void> {
  for (const { svc_id } of finalOnes(world).filter(isOpen))
    await world.session.ask("PUT", `/invoices/${svc_id}`, { invoice: { payment_status: "succeeded" } });
}

async function voidInvoice(world: World, dice: Dice): Promise<void> {
  const invoices = finalOnes(world);
  const invoice = dice.anyOf(dice.isOnceIn(5) ? invoices : invoices.filter(isOpen));
  if (invoice) await world.session.ask("POST", `/invoices/${invoice.svc_id}/void`);
}

async function loseDispute(world: World, dice: Dice): Promise<void> {
  const invoice = dice.anyOf(finalOnes(world));
  if (invoice && dice.isOnceIn(2)) await world.session.ask("POST", `/invoices/${invoice.svc_id}/lose_dispute`);
}

async function writeOff(world: World, dice: Dice): Promise<void> {
  const invoice = dice.anyOf(finalOnes(world).filter(isOpen));
  if (!invoice) return;
  const part = dice.isOnceIn(2) ? {} : { amount_cents: dice.between(1, Math.max(1, invoice.total_amount_cents)) };
  await world.session.ask("POST", `/invoices/${invoice.svc_id}/write_off`, {
    reason: "it will never be paid",
    ...part,
  });
}

const onDraft =
  (verb: "refresh" | "finalize"): StepKind["take"] =>
  async (world, dice) => {
    const draft = dice.anyOf(drafts(world));
    if (draft) await world.session.ask("PUT", `/invoices/${draft.svc_id}/${verb}`);
  };

async function oneOff(world: World, dice: Dice): Promise<void> {
  const fees = [{ add_on_code: "setup", units: dice.oneOf(["1", "2", "0.5"]) }];
  if (!world.isDeleted)
    await world.session.ask("POST", "/invoices", {
      invoice: { external_customer_id: CUSTOMER, currency: world.setting.currency.code, fees },
    });
}

type Estimate = {
  estimated_credit_note: {
    sub_total_excluding_taxes_amount_cents: number;
    taxes_amount_cents: number;
    max_creditable_amount_cents: number;
    max_refundable_amount_cents: number;
  };
};

async function creditInvoice(world: World, dice: Dice): Promise<void> {
  const invoice = dice.anyOf(finalOnes(world).filter(({ fees }) => fees.some((fee) => fee.amount_cents > 0)));
  if (!invoice) return;
  const billed = invoice.fees.filter((fee) => fee.amount_cents > 0);
  const chosen = dice.isOnceIn(2) ? billed : [dice.oneOf(billed)];
  const isWhole = dice.isOnceIn(2);
  const items = chosen.map((fee) => ({
    fee_id: fee.svc_id,
    amount_cents: isWhole ? fee.amount_cents : dice.between(1, fee.amount_cents),
  }));
  const note = { invoice_id: invoice.svc_id, items };
  const { session } = world;
  const answer = await session.ask<Estimate>("POST", "/credit_notes/estimate", { credit_note: note });
  if (!answer) return;
  const estimate = answer.estimated_credit_note;
  const total = estimate.sub_total_excluding_taxes_amount_cents + estimate.taxes_amount_cents;
  const refundable = Math.min(total, estimate.max_refundable_amount_cents);
  const refund = dice.oneOf([0, refundable, dice.between(0, Math.max(0, refundable)), total]);
  const amounts = { credit_amount_cents: total - refund, refund_amount_cents: refund };
  const made = await session.ask<{ credit_note: { svc_id: string } }>("POST", "/credit_notes", {
    credit_note: { ...note, ...amounts, reason: "other" },
  });
  if (made) world.ownNotes.add(made.credit_note.svc_id);
}

async function voidNote(world: World, dice: Dice): Promise<void> {
  const note = dice.anyOf(world.documents.notes);
  if (note) await world.session.ask("PUT", `/credit_notes/${note.svc_id}/void`);
}

async function settleRefund(world: World, dice: Dice): Promise<void> {
  const note = dice.anyOf(world.documents.notes.filter(({ refund_amount_cents }) => refund_amount_cents > 0));
  const refund_status = dice.oneOf(["succeeded", "failed", "pending"]);
  if (note) await world.session.ask("PUT", `/credit_notes/${note.svc_id}`, { credit_note: { refund_status } });
}

async function payFee(world: World, dice: Dice): Promise<void> {
  const payment_status = dice.oneOf(["succeeded", "succeeded", "succeeded", "failed", "refunded", "pending"]);
  const fee = dice.anyOf(world.documents.alone);
  if (!fee || !(await world.session.ask("PUT", `/fees/${fee.svc_id}`, { fee: { payment_status } }))) return;
  if (["succeeded", "refunded"].includes(payment_status)) world.paidFees.add(fee.svc_id);
}

async function deleteFee(world: World, dice: Dice): Promise<void> {
  const fee = dice.anyOf(world.documents.alone);
  if (!fee || !(await world.session.ask("DELETE", `/fees/${fee.svc_id}`))) return;
  world.deletedFees.add(fee.svc_id);
  world.hasDeletedSeats ||= fee.item.code === "seats";
}

export const INVOICE_STEPS: Readonly<Record<string, StepKind>> = {
  pay: { weight: 8, take: setPayment(["succeeded"], isOpen) },
  payAll: { weight: 2, take: payAll },
  failPayment: { weight: 2, take: setPayment(["failed", "pending"], isOpen) },
  bouncePayment: { weight: 4, take: setPayment(["failed", "pending"], isPaid) },
  payAnything: { weight: 1, take: setPayment(["succeeded", "failed", "pending"], () => true) },
  voidInvoice: { weight: 5, take: voidInvoice },
  loseDispute: { weight: 1, take: loseDispute },
  writeOff: { weight: 2, take: writeOff },
  refresh: { weight: 2, take: onDraft("refresh") },
  finalize: { weight: 3, take: onDraft("finalize") },
  oneOff: { weight: 1, take: oneOff },
  creditInvoice: { weight: 6, take: creditInvoice },
  voidNote: { weight: 2, take: voidNote },
  settleRefund: { weight: 2, take: settleRefund },
  payFee: { weight: 4, take: payFee },
  deleteFee: { weight: 1, take: deleteFee },
};
