export { onInvoiceFinalized, onSubscriptionEnded } from "./credit-unused.ts";
export { describeForMessage, describeNote, describeNotes } from "./describe-credit-notes.ts";
export { creditNoteErrors } from "./errors.ts";
export { creditNoteMessage, creditNoteMessages } from "./messages.ts";
export { refundPurchase } from "./refund-purchase.ts";
export { creditNoteRoutes } from "./routes.ts";
export { creditNoteSource, isKeptByNote } from "./spend-notes.ts";
export { type CreditNoteRow, findNote, findNotesOfCustomer, pageOfNotes } from "./store.ts";
export { type ApiCreditNote, creditNoteSchema } from "./to-api.ts";
