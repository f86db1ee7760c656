import { defineErrors } from "../../../http/problem.ts";

export const feedErrors = defineErrors({
  cursor_expired: {
    status: 410,
    meaning:
      "Messages after this cursor were deleted, because they are older than `WEBHOOK_RETENTION_DAYS`. Read the records that you need, then go on " +
      "with `after=latest`; or read what is left, without `after`.",
  },
});
