import { defineErrors } from "../../../http/problem.ts";

export const sampleDataErrors = defineErrors({
  sample_data_needs_a_sandbox: {
    status: 403,
    meaning: "Only sandbox organizations take sample data. Use an API key of a sandbox organization.",
  },
});
