/** If credits are paid after their wallet ended, the wallet gets nothing and the money is refunded. */
import { refundForPurchase } from "@tallystick/core/invoicing";
import type { Minor } from "@tallystick/core/money";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { InvoiceRow } from "../../invoicing/index.ts";
import { loadCreditable } from "./load-creditable.ts";
import { type NoteDeps, saveNote } from "./save-note.ts";

/** The customer is locked. */
export async function refundPurchase(
  tx: Tx,
  deps: NoteDeps,
  { invoice, refundMinor, at }: { invoice: InvoiceRow; refundMinor: Minor; at: Temporal.Instant },
): Promise<void> {
  const loaded = await loadCreditable(alone(tx), invoice);
  const note = refundForPurchase(loaded.creditable, refundMinor);
  const texts = { reason: "order_cancellation" as const, description: null, unusedOfSubscriptionId: null };
  await saveNote(alone(tx), deps, { loaded, note, derivation: note.derivation, ...texts, at });
}
