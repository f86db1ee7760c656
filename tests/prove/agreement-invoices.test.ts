import { INVOICE_COMPARISONS } from "../../prove/agreement/invoices.ts";
import { testAgreement } from "./agreement.ts";

testAgreement(INVOICE_COMPARISONS);
