import { PRICE_COMPARISONS } from "../../prove/agreement/prices.ts";
import { testAgreement } from "./agreement.ts";

testAgreement(PRICE_COMPARISONS);
