/** Every type of message that is sent: when, and what it carries. The API description and the reference are made from this. */
import { type TSchema, Type } from "@fastify/type-provider-typebox";
import { creditNoteSchema, transactionSchema, walletSchema } from "../../credit/index.ts";
import { customerSchema } from "../../customers/index.ts";
import {
  extendedInvoiceSchema,
  feeSchema,
  heldInvoiceSchema,
  invoiceSchema,
  parkedItemSchema,
} from "../../invoicing/index.ts";
import { subscriptionWithPlanSchema } from "../../subscriptions/index.ts";
import { toldEndpointSchema } from "../endpoints/index.ts";

export type MessageType = { objectType: string; when: string; schema: TSchema };

const transactionIds = (description: string) => Type.Array(Type.String(), { description });

const subscription = Type.Object({ ...subscriptionWithPlanSchema.properties, customer: customerSchema });
const eventsErrors = Type.Object({
  invalid_code: transactionIds("Events that are not billed: their code is that of no billable metric"),
  missing_aggregation_property: transactionIds(
    "Events that are not billed: they lack the property that the metric needs, or it is not a number",
  ),
  missing_group_key: transactionIds(
    "Events that lack a dimension of the metric, or have a value that it does not know: no filter takes them, and where they are billed, they are billed at the charge's own price",
  ),
});

const of = (objectType: string, schema: TSchema) => (when: string) => ({ objectType, when, schema });
const invoice = of("invoice", extendedInvoiceSchema);
const ofSubscription = of("subscription", subscription);
const customer = of("customer", customerSchema);
const creditNote = of("credit_note", Type.Object({ ...creditNoteSchema.properties, customer: customerSchema }));
const transaction = of("wallet_transaction", Type.Object({ ...transactionSchema.properties, wallet: walletSchema }));

export const MESSAGE_TYPES: Readonly<Record<string, MessageType>> = {
  "billing.parked": of(
    "parked_item",
    parkedItemSchema,
  )("Something cannot be billed. It is set aside, everything else goes on; retry or skip it."),
  "credit_note.created": creditNote("A credit note is issued, by hand or for what was paid and not used."),
  "credit_note.generated": creditNote("The PDF of a credit note is made; `file_url` is a link to it."),
  "customer.created": customer("A customer is made."),
  "customer.updated": customer("A customer is changed."),
  "events.errors": of(
    "events_errors",
    eventsErrors,
  )(
    "Five minutes past every hour, if something is wrong with events of the hour before: they are not billed, or by no filter.",
  ),
  "fee.created": of("fee", feeSchema)("An event made a fee in advance."),
  "invoice.created": invoice("An invoice is finalized."),
  "invoice.drafted": invoice("An invoice is made that can still change during its grace period."),
  "invoice.held": of(
    "held_invoice",
    heldInvoiceSchema,
  )("Two computations of an invoice differ: it is not finalized until an operator releases it."),
  "invoice.generated": of("invoice", invoiceSchema)("The PDF of an invoice is made; `file_url` is a link to it."),
  "invoice.one_off_created": invoice("An invoice of add-ons is made."),
  "invoice.paid_credit_added": invoice("An invoice of prepaid credits is made."),
  "invoice.payment_dispute_lost": of(
    "payment_dispute_lost",
    Type.Object({ invoice: extendedInvoiceSchema }),
  )("A dispute over the payment of an invoice is lost."),
  "invoice.payment_overdue": invoice("The day on which an invoice was due has passed, and it is not paid."),
  "invoice.payment_status_updated": invoice("An invoice is paid, or its payment failed or is open again."),
  "invoice.voided": invoice("An invoice is voided."),
  "subscription.started": ofSubscription("A subscription becomes active."),
  "subscription.terminated": ofSubscription("A subscription ends, or is canceled before it began."),
  "subscription.termination_alert": ofSubscription("A subscription ends in 45 days, or in 15."),
  "subscription.trial_ended": ofSubscription("The trial of a subscription is over."),
  "wallet.depleted_ongoing_balance": of(
    "wallet",
    walletSchema,
  )("The usage that is not billed yet takes all that a wallet holds."),
  "wallet_transaction.created": transaction("Credits are bought, granted, voided or used."),
  "wallet_transaction.updated": transaction("Credits that were bought are paid for, or their payment failed."),
  "webhook_endpoint.disabled": of(
    "webhook_endpoint",
    toldEndpointSchema,
  )("An endpoint is gone, or took nothing for three days. The others are told."),
};

/** What is sent: the type, and the object under the name of its kind. */
const messageSchema = (webhookType: string, { objectType, schema }: MessageType): TSchema =>
  Type.Object({
    webhook_type: Type.Literal(webhookType),
    object_type: Type.Literal(objectType),
    [objectType]: schema,
  });

/** For the member `webhooks` of the API description. */
export const describeMessages = (): Record<string, object> =>
  Object.fromEntries(
    Object.entries(MESSAGE_TYPES).map(([webhookType, type]) => [
      webhookType,
      {
        post: {
          summary: type.when,
          tags: ["Webhooks"],
          requestBody: { content: { "application/json": { schema: messageSchema(webhookType, type) } } },
          responses: { 200: { description: "Taken; so are 201, 202 and 204. Anything else is repeated." } },
        },
      },
    ]),
  );
