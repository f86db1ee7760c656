export { onInvoiceFinalized, onSubscriptionEnded } from "./credit-unused.ts";
export { describeForMessage, describeNote } from "./describe-credit-notes.ts";
export { creditNoteErrors } from "./errors.ts";
export { creditNoteRoutes } from "./routes.ts";
export { creditNoteSource, hasLiveNote } from "./spend-notes.ts";
export { type CreditNoteRow, findNote } from "./store.ts";
export { type ApiCreditNote, creditNoteSchema } from "./to-api.ts";
