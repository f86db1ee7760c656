/** What a preview said is on the invoice that follows, if nothing was asked for in between. */
import { demand } from "./demand.ts";
import type { Documents, Fee } from "./documents.ts";
import type { World } from "./world.ts";

const AMOUNTS = ["coupons_amount_cents", "credit_notes_amount_cents", "taxes_amount_cents"] as const;

export function checkPreview(world: World, before: Documents): void {
  const { previewed, documents } = world;
  world.previewed = undefined;
  if (!previewed) return;
  const { externalId, invoice: predicted } = previewed;
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
  const linesOf = (fees: readonly Fee[]): string =>
    fees
      .map((fee) => `${fee.svc_subscription_id} ${fee.item.type} ${fee.item.code} ${fee.units} ${fee.amount_cents}`)
      .toSorted()
      .join("\n");
  demand("previewFees", linesOf(predicted.fees) === linesOf(found.fees), about);
  world.session.stage.note("checked: previews");
  // What another document uses meanwhile is not there any more.
  const wasDraft = before.invoices.some(({ status }) => status === "draft");
  if (made.length > 1 || wasDraft || found.status === "draft") return;
  demand(
    "previewAmounts",
    AMOUNTS.every((name) => predicted[name] === found[name]),
    about,
  );
}
