// The rules of the house that no other tool checks. Each has a planted violation in plants.ts.
// Biome checks that a function has at most 60 lines (noExcessiveLinesPerFunction), because it parses the code.

import { coreRules } from "./core-rules.ts";
import { layoutRules } from "./layout-rules.ts";
import { ownerRules } from "./owner-rules.ts";
import type { Rule } from "./rule.ts";
import { securityRules } from "./security-rules.ts";
import { sourceRules } from "./source-rules.ts";
import { storeRules } from "./store-rules.ts";
import { textRules } from "./text-rules.ts";

export const rules: readonly Rule[] = [
  ...coreRules,
  ...layoutRules,
  ...ownerRules,
  ...securityRules,
  ...sourceRules,
  ...storeRules,
  ...textRules,
];
