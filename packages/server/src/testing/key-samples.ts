/** Sample requests about API keys. */
import type { Permissions } from "../http/auth.ts";
import type { Call } from "./start-tallystick.ts";

const PERMISSIONS = { event: ["read", "write"], customer: ["read"] } satisfies Permissions;

const anApiKey = (mark: string) => ({
  api_key: { name: `key ${mark}`, permissions: PERMISSIONS, expires_at: "2099-12-31T23:59:59Z" },
});

const givenApiKey = async (call: Call, mark: string): Promise<Record<string, string>> => {
  const { body } = await call("POST", "/api_keys", anApiKey(mark));
  return { key_id: body.api_key.key_id };
};

export const KEY_SAMPLES = {
  "GET /api_keys": { permission: "api_key" },
  "POST /api_keys": { permission: "api_key", handsOut: PERMISSIONS, body: anApiKey },
  "GET /api_keys/:key_id": { permission: "api_key", given: givenApiKey },
  "POST /api_keys/:key_id/rotate": {
    permission: "api_key",
    handsOut: PERMISSIONS,
    given: givenApiKey,
    body: () => ({ overlap_seconds: 3600 }),
    // The old key shows when it ends.
    ignored: ["overlap_seconds"],
  },
  "DELETE /api_keys/:key_id": { permission: "api_key", given: givenApiKey },
};
