import { defineErrors } from "../../../http/problem.ts";

export const dataKeyErrors = defineErrors({
  secrets_key_wrong: {
    status: 503,
    meaning:
      "The service cannot seal the secret, because its SECRETS_KEY is not the one of this database. Retry after its operator has set it; " +
      "`/ready` names it.",
  },
});
