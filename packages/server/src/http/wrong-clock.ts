/** While the clock of this process is wrong, it writes nothing: almost every write stores the time at which it happens. */
import type { FastifyInstance } from "fastify";
import { CLOCK_CHECK_EVERY_SECONDS, type ClockWatch } from "../platform/clock-watch.ts";
import { defineErrors, refusal } from "./problem.ts";

export const clockErrors = defineErrors({
  clock_is_wrong: {
    status: 503,
    meaning:
      "The clock of this server differs from its database's by more than 2 seconds, so it stores nothing that would get a wrong time. Wait for `Retry-After` seconds and send the same request again. If you operate the service, set the clock right.",
  },
});

/** Reads continue: what they show was stored at the right time. */
export function refuseWritesByWrongClock(api: FastifyInstance, clockWatch: Pick<ClockWatch, "isTrusted">): void {
  const code = "clock_is_wrong";
  api.addHook("onRequest", async ({ method }) => {
    if (clockWatch.isTrusted() || method === "GET" || method === "HEAD" || method === "OPTIONS") return;
    throw refusal(503, code, {
      message: clockErrors.catalog[code]?.meaning ?? "",
      retryAfterSeconds: CLOCK_CHECK_EVERY_SECONDS,
    });
  });
}
