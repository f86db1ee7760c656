/** Why an event is not billed, in a sentence, and what to do about it. */
import type { Event } from "@tallystick/client";

type Reason = NonNullable<Event["reason"]>;

export const SHORT: Readonly<Record<Reason, string>> = {
  late: "Late",
  before_start: "Before the start",
  after_end: "After the end",
  before_billing_began: "Before billing began",
  trial_free: "Free in the trial",
  no_charge: "No charge",
  charge_removed: "Charge removed",
  unknown_code: "Unknown code",
  no_subscription: "No subscription",
  invalid_property: "Invalid property",
  invoice_voided: "Invoice voided",
  skipped_by_operator: "Skipped",
  skipped_at_end: "Skipped at the end",
};

export const REASONS: Readonly<Record<Reason, { why: string; remedy: string | null }>> = {
  late: {
    why: "It came after its period was invoiced.",
    remedy: "Bill it by a one-off invoice, or set a grace period, so that the next late event is still in time.",
  },
  before_start: {
    why: "It is dated before the subscription began.",
    remedy: "Look at its timestamp. A subscription can begin on a past day.",
  },
  after_end: {
    why: "It is dated after the subscription ended.",
    remedy: "Look at its timestamp, and at the id of the subscription that it names.",
  },
  before_billing_began: {
    why: "It is dated before its charge or its subscription was billed.",
    remedy: "Usage before a charge was added to the plan is not billed.",
  },
  trial_free: { why: "It is usage of the trial, which is free.", remedy: null },
  no_charge: {
    why: "The plan of its subscription has no charge on its metric.",
    remedy: "Add the charge to the plan. Events of periods that are open are billed then.",
  },
  charge_removed: {
    why: "The plan no longer has a charge on its metric.",
    remedy: "Add the charge again, if it was removed by mistake.",
  },
  unknown_code: {
    why: "No metric has its code.",
    remedy:
      "Create the metric, and a charge on it: events of periods that are open are billed then. Or correct the code where events are sent.",
  },
  no_subscription: {
    why: "No subscription has the id that it names.",
    remedy: "Subscribe the customer under this id, or correct the id where events are sent.",
  },
  invalid_property: {
    why: "It lacks the property that its metric counts, or the property is not a number.",
    remedy: "Correct the property where events are sent, and send it again under a new transaction id.",
  },
  invoice_voided: {
    why: "The invoice that billed it was voided or deleted.",
    remedy: "Bill it by a one-off invoice, if it is to be billed at all.",
  },
  skipped_by_operator: { why: "It could not be billed, and was skipped by hand.", remedy: null },
  skipped_at_end: {
    why: "Its subscription ended without a last invoice.",
    remedy: null,
  },
};
