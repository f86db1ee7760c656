import { defineErrors } from "../../../http/problem.ts";

export const addOnErrors = defineErrors({
  add_on_not_found: { status: 404, meaning: "No add-on of this organization has that code. Create it first." },
});
