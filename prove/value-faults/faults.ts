/** Every fault that the campaign puts in. To add one, take a fix out of the source, so that code is left that runs. */
import { DOCUMENTS } from "./documents.ts";
import type { Fault } from "./fault.ts";
import { PRICES_AND_LIMITS } from "./prices-and-limits.ts";
import { PURCHASES } from "./purchases.ts";
import { RECURRING_DAYS } from "./recurring-days.ts";

export const FAULTS: readonly Fault[] = [...PURCHASES, ...DOCUMENTS, ...PRICES_AND_LIMITS, ...RECURRING_DAYS];
