// The door of the second opinion.

export { giveOpinion, type Opinion } from "./opinion.ts";
export type { BillCase, EventCase, OpinionCase, PartCase, UsageCase } from "./opinion-case.ts";
export { bucketName } from "./usage.ts";
