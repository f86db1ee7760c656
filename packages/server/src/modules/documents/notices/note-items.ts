/** Notes what waits for an operator, so that the owners get an email about it. */
import type { OutboxSubscriber } from "../../../jobs/outbox.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { MailRules } from "../mails/index.ts";
import { type ItemKind, insertItems } from "./store.ts";

/** What fails together is parked within minutes, and belongs into one email. */
const GATHER = { minutes: 5 };

const KINDS: Readonly<Record<string, ItemKind>> = {
  "billing.parked": "parked_item",
  "invoice.held": "held_invoice",
};

export const noteForOwners =
  (clock: Clock, { isOn }: MailRules): OutboxSubscriber =>
  async (batch, { organizationId, webhookType, objectId }) => {
    const kind = KINDS[webhookType];
    if (kind === undefined || !isOn) return;
    const notedAt = clock.now();
    await insertItems(batch, organizationId, [{ kind, itemId: objectId, notedAt, readyAt: notedAt.add(GATHER) }]);
  };
