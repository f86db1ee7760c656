import { PERIOD_COMPARISONS } from "../../prove/agreement/periods.ts";
import { USAGE_COMPARISONS } from "../../prove/agreement/usage.ts";
import { testAgreement } from "./agreement.ts";

testAgreement([...USAGE_COMPARISONS, ...PERIOD_COMPARISONS]);
