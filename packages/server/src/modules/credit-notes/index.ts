export { onInvoiceFinalized, onSubscriptionEnded } from "./credit-unused.ts";
export { creditNoteErrors } from "./errors.ts";
export { creditNoteRoutes } from "./routes.ts";
export { creditNoteSource, hasLiveNote } from "./spend-notes.ts";
