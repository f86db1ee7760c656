import { defineErrors } from "../../../http/problem.ts";

export const documentErrors = defineErrors({
  file_not_found: {
    status: 404,
    meaning:
      "The link is incomplete or has expired. Request a new one with the download of the invoice or credit note.",
  },
});
