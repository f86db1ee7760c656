import { defineErrors } from "../../../http/problem.ts";

export const taxErrors = defineErrors({
  tax_not_found: {
    status: 404,
    meaning: "No tax of this organization has that code, or one of these `tax_codes`. Create it first.",
  },
});
