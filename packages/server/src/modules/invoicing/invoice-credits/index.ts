export {
  findCreditsOfOwners,
  findInvoiceCredits,
  type InvoiceCreditRow,
  insertInvoiceCredits,
  type NewCredit,
} from "./store.ts";
export { creditSchema, previewCreditSchema, toApiCredit, toApiPreviewCredit } from "./to-api.ts";
