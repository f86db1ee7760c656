/** Calls of the API from within the service, for work that does what a client could do. They pass everything that a request passes but limits. */

import type { Caller } from "../http/caller.ts";
import type { Calls } from "../modules/samples/index.ts";
import { newId } from "../platform/new-id.ts";
import { composeApi, type Platform } from "./compose.ts";

export const openCallsOf =
  (platform: Platform) =>
  async ({ organizationId, actor }: Pick<Caller, "organizationId" | "actor">): Promise<Calls> => {
    const token = newId();
    const caller: Caller = {
      ...{ organizationId, actor, permissions: null, fieldPrefix: "svc" },
      ...{ usesDeprecated: false, ignoresUnknown: false },
    };
    // Each call would be a line in the log of the worker.
    const quiet = { ...platform, log: platform.log.child({}, { level: "warn" }) };
    const authenticate = async (given: string) => (given === token ? caller : "unknown");
    const app = await composeApi(quiet, { authenticate });
    const call: Calls["call"] = async (method, path, body, except = []) => {
      const answer = await app.inject({
        ...{ method, url: `/api/v1${path}`, headers: { authorization: `Bearer ${token}` } },
        ...(body && { payload: body }),
      });
      const answered = answer.json();
      if (answer.statusCode < 300) return answered;
      if (except.includes(answered.code)) return undefined;
      throw new Error(`${method} ${path} was refused with ${answer.statusCode} ${answered.code}: ${answered.message}`);
    };
    return { call, close: () => app.close() };
  };
