import { expect, test } from "vitest";
import { issueLink } from "../links/index.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { platform, app, organizations } = await startTallystick();
const SAME = { "sec-fetch-site": "same-origin" };

test("smoke", async () => {
  const link = await issueLink(platform.dispatcherDb, { kind: "setup", organizationId: organizations[0]?.id ?? "" }, platform.clock.now());
  const made = await app.inject({ method: "POST", url: "/session/setup", headers: SAME, payload: { token: link.token, email: "Ada@example.com", name: "Ada", password: "correct horse battery" } });
  expect(made.body).toBe('{"signed_in":true}');
  const cookie = String(made.headers["set-cookie"]).split(";")[0] ?? "";
  const who = await app.inject({ url: "/session", headers: { cookie, "tallystick-organization": organizations[0]?.id ?? "" } });
  console.log(who.body.slice(0, 600), made.headers["set-cookie"]);
  const got = await app.inject({ url: "/api/v1/members", headers: { cookie, "tallystick-organization": organizations[0]?.id ?? "" } });
  console.log(got.body);
  const inv = await app.inject({ method: "POST", url: "/api/v1/invitations", payload: { invitation: { email: "b@example.com", role: "finance" } }, headers: { ...SAME, cookie, "tallystick-organization": organizations[0]?.id ?? "" } });
  console.log(inv.body);
});
