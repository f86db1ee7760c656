/** POST /credit_notes and /credit_notes/estimate. */
import {
  type CreditableInvoice,
  type CreditNoteEstimate,
  type CreditNoteRefusal,
  type CreditNoteRequest,
  computeCreditNote,
  estimateCreditNote,
  type RequestedItem,
} from "@tallystick/core/invoicing";
import type { Minor } from "@tallystick/core/money";
import { entriesOf, invalidMembers } from "../../../http/problem.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { feeErrors, findInvoice, holdInvoice, invoiceErrors } from "../../invoicing/index.ts";
import { creditNoteErrors } from "./errors.ts";
import { type LoadedInvoice, loadCreditable } from "./load-creditable.ts";
import { type NoteDeps, saveNote } from "./save-note.ts";
import type { CreditNoteRow } from "./store.ts";

export type CreditNoteDeps = NoteDeps & {
  /** Purchased credits are refunded in money, up to what is left of their lot. */
  purchased: {
    left: (tx: Tx, organizationId: string, invoiceId: string) => Promise<Minor>;
    /** Removes the credits from the wallet. */
    takeBack: (tx: Tx, note: CreditNoteRow) => Promise<void>;
  };
};

export type NoteRequest = CreditNoteRequest & {
  invoiceId: string;
  reason: CreditNoteRow["reason"];
  description: string | null;
};

export async function createNote(
  tx: Tx,
  deps: CreditNoteDeps,
  organizationId: string,
  { invoiceId, reason, description, ...request }: NoteRequest,
): Promise<CreditNoteRow> {
  const { row: invoice, now } = await holdInvoice(tx, organizationId, invoiceId, deps.clock);
  const loaded = await loadCreditable(alone(tx), invoice);
  const computed = computeCreditNote(await withSource(tx, deps, loaded), request);
  if (!computed.ok) throw toProblem(computed.error, request);
  const note = computed.value;
  const { derivation } = note;
  const texts = { reason, description, unusedOfSubscriptionId: null };
  const row = await saveNote(alone(tx), deps, { loaded, note, derivation, ...texts, at: now });
  if (invoice.invoice_type === "credit") await deps.purchased.takeBack(tx, row);
  return row;
}

export type Estimate = { loaded: LoadedInvoice; estimate: CreditNoteEstimate };

/** Locks and writes nothing. */
export async function estimateNote(
  tx: Tx,
  deps: CreditNoteDeps,
  organizationId: string,
  { invoiceId, items }: { invoiceId: string; items: readonly RequestedItem[] },
): Promise<Estimate> {
  const invoice = await findInvoice(tx, organizationId, invoiceId);
  if (!invoice) throw invoiceErrors.problem("invoice_not_found", [invoiceId]);
  const loaded = await loadCreditable(alone(tx), invoice);
  const estimated = estimateCreditNote(await withSource(tx, deps, loaded), items);
  if (!estimated.ok) throw toProblem(estimated.error);
  return { loaded, estimate: estimated.value };
}

async function withSource(tx: Tx, deps: CreditNoteDeps, loaded: LoadedInvoice): Promise<CreditableInvoice> {
  const { invoice, creditable } = loaded;
  const { invoice_type: type, organization_id: organizationId, id } = invoice;
  if (type !== "credit") return { ...creditable, source: { type } };
  return { ...creditable, source: { type, lotMinor: await deps.purchased.left(tx, organizationId, id) } };
}

function toProblem(refusal: CreditNoteRefusal, request?: CreditNoteRequest): Error {
  switch (refusal.type) {
    case "not_allowed":
      return creditNoteErrors.problem(refusal.code);
    case "not_found":
      return feeErrors.problem(refusal.code, refusal.feeIds);
    case "invalid":
      return invalidMembers(
        entriesOf(refusal.faults).map((entry) =>
          entry.code === "does_not_match_item_amounts" && request && refusal.expectedMinor !== undefined
            ? { ...entry, message: sayExpected(request, refusal.expectedMinor) }
            : entry,
        ),
      );
  }
}

const sayExpected = ({ creditMinor, refundMinor }: CreditNoteRequest, expected: Minor): string =>
  `Credit and refund together are ${creditMinor + refundMinor} cents, but the items, less their share of coupons, plus taxes, are ${expected} ` +
  `cents. Send a \`credit_amount_cents\` and a \`refund_amount_cents\` that add up to ${expected}.`;
