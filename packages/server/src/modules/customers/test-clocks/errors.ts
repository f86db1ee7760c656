import { defineErrors } from "../../../http/problem.ts";

export const testClockErrors = defineErrors({
  test_clock_not_found: { status: 404, meaning: "No test clock of this organization has that id." },
  test_clock_advancing: {
    status: 405,
    meaning:
      "The test clock is advancing. Poll GET /test_clocks/{svc_id} until its status is `ready`, or stop it with POST /test_clocks/{svc_id}/cancel, then try again.",
  },
  test_clocks_need_a_sandbox: {
    status: 403,
    meaning: "Only sandbox organizations have test clocks. Use an API key of a sandbox organization.",
  },
  needs_confirmation: {
    status: 422,
    meaning:
      "This moves the test clock by more than 25 years, and everything due on the way is done. Check the year; if it is right, send `confirm: true` beside `now`.",
  },
  must_be_after_current_time: {
    status: 422,
    meaning: "A test clock cannot go back. Send its `now` or a later instant.",
  },
});
