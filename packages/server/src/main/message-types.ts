/** Every type of message, collected by name from the modules that publish them. */
import type { MessageTypes } from "../jobs/message-types.ts";
import { billableMetricMessages, planMessages } from "../modules/catalogue/index.ts";
import { creditNoteMessages, walletMessages } from "../modules/credit/index.ts";
import { customerMessages } from "../modules/customers/index.ts";
import { documentMessages } from "../modules/documents/index.ts";
import { eventMessages } from "../modules/events/index.ts";
import { feeMessages, heldInvoiceMessages, invoiceMessages, parkedItemMessages } from "../modules/invoicing/index.ts";
import { subscriptionMessages } from "../modules/subscriptions/index.ts";
import { endpointMessages } from "../modules/webhooks/index.ts";

export const MESSAGE_TYPES: MessageTypes = Object.fromEntries(
  Object.entries({
    ...billableMetricMessages,
    ...creditNoteMessages,
    ...customerMessages,
    ...documentMessages,
    ...endpointMessages,
    ...eventMessages,
    ...feeMessages,
    ...heldInvoiceMessages,
    ...invoiceMessages,
    ...parkedItemMessages,
    ...planMessages,
    ...subscriptionMessages,
    ...walletMessages,
  }).sort(([one], [other]) => (one < other ? -1 : 1)),
);
