import { BILL_COMPARISONS } from "../../prove/agreement/bills.ts";
import { testAgreement } from "./agreement.ts";

testAgreement(BILL_COMPARISONS);
