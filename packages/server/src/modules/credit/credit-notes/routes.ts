/** /credit_notes. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { minor } from "@tallystick/core/money";
import { alone } from "../../../platform/postgres/batch.ts";
import { changeNote, voidNote } from "./change-note.ts";
import { type CreditNoteDeps, createNote, estimateNote } from "./create-note.ts";
import { describeNote, describeNotes } from "./describe-credit-notes.ts";
import { creditNoteErrors } from "./errors.ts";
import {
  changeNoteSchema,
  createNoteSchema,
  estimateNoteSchema,
  listNotesSchema,
  noteList,
  showNoteSchema,
  voidNoteSchema,
} from "./schema.ts";
import { findNote, pageOfNotes } from "./store.ts";
import { toApiEstimate } from "./to-api.ts";

type Items = readonly { fee_id: string; amount_cents: number }[];
const toItems = (items: Items) =>
  items.map(({ fee_id, amount_cents }) => ({ feeId: fee_id, amountMinor: toMinor(amount_cents) }));
const toMinor = (cents: number | null | undefined) => minor(BigInt(cents ?? 0));

export const creditNoteRoutes =
  (deps: CreditNoteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "credit_note" };
    const { clock } = deps;

    app.post("/credit_notes", { schema: createNoteSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const { invoice_id, reason, description, items, ...amounts } = request.body.credit_note;
        const row = await createNote(tx, deps, organizationId, {
          invoiceId: invoice_id,
          reason: reason ?? "other",
          description: description ?? null,
          items: toItems(items),
          creditMinor: toMinor(amounts.credit_amount_cents),
          refundMinor: toMinor(amounts.refund_amount_cents),
        });
        return { credit_note: await describeNote(alone(tx), organizationId, row) };
      }),
    );

    app.post("/credit_notes/estimate", { schema: estimateNoteSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const { invoice_id: invoiceId, items } = request.body.credit_note;
        const input = { invoiceId, items: toItems(items) };
        const { loaded, estimate } = await estimateNote(tx, deps, organizationId, input);
        return { estimated_credit_note: toApiEstimate(loaded, estimate) };
      }),
    );

    app.get("/credit_notes", { schema: listNotesSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfNotes(tx, organizationId, noteList.read(request.query));
        const described = await describeNotes(alone(tx), organizationId, rows);
        const credit_notes = await deps.documents.withFileUrls(tx, organizationId, described, { clock, request });
        return { credit_notes, meta };
      }),
    );

    app.get("/credit_notes/:svc_id", { schema: showNoteSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findNote(tx, organizationId, request.params.svc_id);
        if (!row) throw creditNoteErrors.problem("credit_note_not_found");
        const described = await describeNote(alone(tx), organizationId, row);
        const [note] = await deps.documents.withFileUrls(tx, organizationId, [described], { clock, request });
        return { credit_note: note ?? described };
      }),
    );

    app.put("/credit_notes/:svc_id", { schema: changeNoteSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const addressed = { organizationId, id: request.params.svc_id };
        const row = await changeNote(tx, clock, addressed, request.body.credit_note.refund_status);
        return { credit_note: await describeNote(alone(tx), organizationId, row) };
      }),
    );

    app.put("/credit_notes/:svc_id/void", { schema: voidNoteSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const row = await voidNote(tx, clock, { organizationId, id: request.params.svc_id });
        return { credit_note: await describeNote(alone(tx), organizationId, row) };
      }),
    );
  };
