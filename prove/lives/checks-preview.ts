/** What a preview said is on the invoice that follows, if nothing was requested in between. */

import type { Members } from "../served-api.ts";
import { checkCurrentUsage, sortedText } from "./checks-current-usage.ts";
import { demand } from "./demand.ts";
import type { Documents, Fee, Invoice } from "./documents.ts";
import type { World } from "./world.ts";

export function checkPreview(world: World, before: Documents, previewed = world.previewed): void {
  if (!previewed) return;
  const { documents } = world;
  const { externalId, invoice: predicted, usage } = previewed;
  const ids = new Set(
    documents.subscriptions.filter(({ external_id }) => external_id === externalId).map(({ svc_id }) => svc_id),
  );
  // What stood alone and was paid is regrouped on an invoice that no preview is about.
  const alone = new Set(before.alone.map(({ svc_id }) => svc_id));
  const isOwn = ({ svc_id, svc_subscription_id: id }: Fee): boolean => id !== null && ids.has(id) && !alone.has(svc_id);
  if (!predicted.fees.some(isOwn)) return;
  const known = new Set(before.invoices.map(({ svc_id }) => svc_id));
  const made = documents.invoices.filter(({ svc_id }) => !known.has(svc_id));
  const [found, ...others] = made.filter(({ fees }) => fees.some(isOwn));
  const about = () => ({ predicted, found: found ?? null, others });
  demand("previewedNotMade", found !== undefined && others.length === 0, about);
  if (!found) return;
  demand("previewFees", linesOf(predicted.fees) === linesOf(found.fees), about);
  world.session.stage.note("checked: previews");
  if (usage) {
    world.session.stage.note("checked: current usage");
    checkCurrentUsage(usage, found.fees.filter(isOwn));
  }
  // What another document uses meanwhile is not there any more.
  const wasDraft = before.invoices.some(({ status }) => status === "draft");
  if (made.length > 1 || wasDraft || found.status === "draft") return;
  // Nor does a preview know what another subscription that ends at the same instant gives back.
  if (isOtherCredited(documents, before, isOwn)) return;
  world.session.stage.note("checked: previews in every member");
  demand("previewAmounts", predictable(predicted) === predictable(found), () => ({
    predicted: predictable(predicted).split("\n"),
    found: predictable(found).split("\n"),
  }));
}

function isOtherCredited(now: Documents, before: Documents, isOwn: (fee: Fee) => boolean): boolean {
  const known = new Set(before.notes.map(({ svc_id }) => svc_id));
  const own = new Set(now.invoices.filter(({ fees }) => fees.some(isOwn)).map(({ svc_id }) => svc_id));
  return now.notes.some(({ svc_id, svc_invoice_id }) => !known.has(svc_id) && !own.has(svc_invoice_id));
}

const linesOf = (fees: readonly Fee[]): string =>
  fees
    .map((fee) => `${fee.svc_subscription_id} ${fee.item.type} ${fee.item.code} ${fee.units} ${fee.amount_cents}`)
    .toSorted()
    .join("\n");

/** What an invoice has only when it exists, and what goes on with time. Nothing is due of what is not final. */
const ONLY_OF_INVOICES: readonly string[] = [
  "svc_id",
  "sequential_id",
  "number",
  "status",
  "total_due_amount_cents",
  "created_at",
  "updated_at",
  "customer",
  "subscriptions",
];
const ONLY_OF_FEES = ["svc_id", "svc_invoice_id", "svc_true_up_fee_id", "svc_true_up_parent_fee_id", "created_at"];
const ONLY_OF_TAXES = ["svc_id", "svc_invoice_id", "created_at"];
/** Its own id, and the invoice that it is on. */
const ONLY_OF_CREDITS = ["svc_id", "invoice"];

/** All that a preview can know, a line for each member and part. */
function predictable({ fees, applied_taxes, credits, ...members }: Invoice): string {
  const own = Object.entries(members).filter(([name]) => !ONLY_OF_INVOICES.includes(name));
  const parts = [
    ...fees.map((fee) => `fee ${without(fee, ONLY_OF_FEES)}`),
    ...applied_taxes.map((tax) => `tax ${without(tax, ONLY_OF_TAXES)}`),
    ...credits.map((credit) => `credit ${without(credit, ONLY_OF_CREDITS)}`),
  ];
  return [...own.map(([name, value]) => `${name} ${sortedText(value)}`), ...parts].toSorted().join("\n");
}

const without = (members: Members, names: readonly string[]): string =>
  sortedText(Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name))));
