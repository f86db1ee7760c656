// `npm run dev`, the first thing that a newcomer sees.

import { join } from "node:path";
import { expect, test } from "vitest";
import {
  closeAfterTest,
  type Door,
  descendantsOf,
  freePort,
  livingOf,
  openDoor,
  privateTemporaryFolder,
} from "./door.ts";

const STARTED_WITHIN_MS = 180_000;
const GONE_WITHIN_MS = 120_000;

const temporary = privateTemporaryFolder();

async function openDev(port: number): Promise<{ dev: Door; key: string; printed: string }> {
  const args = ["run", "-s", "dev", "--", "--data", join(temporary.path, "data")];
  const begun = performance.now();
  const dev = closeAfterTest(openDoor(args, { PORT: String(port) }));
  // Alone on a machine it takes a fifth of a second: long before anything of the service is loaded.
  await dev.prints("stderr", /^Starting Tallystick: loading the service …\n/, STARTED_WITHIN_MS);
  const saidAfterMs = performance.now() - begun;
  await dev.prints("stderr", /Server listening/, STARTED_WITHIN_MS);
  expect(saidAfterMs / (performance.now() - begun)).toBeLessThan(0.3);
  const printed = dev.stdout();
  return { dev, key: /Demo key {3}(tsk_\w+)/.exec(printed)?.[1] ?? "", printed };
}

test("it prints all addresses and a working key; SIGTERM ends everything, and the data remains for the next start", async () => {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const headers = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });

  const first = await openDev(port);
  for (const place of [`${address}/api/v1`, `${address}/docs`, `${address}/ready`])
    expect(first.printed).toContain(`  ${place}\n`);
  const body = JSON.stringify({ customer: { external_id: "acme" } });
  const made = await fetch(`${address}/api/v1/customers`, { method: "POST", headers: headers(first.key), body });
  expect(made.status).toBe(200);
  const pids = [first.dev.pid, ...descendantsOf(first.dev.pid)];
  expect(livingOf(pids).join("\n")).toContain("postgres");
  first.dev.signal("npm");
  await first.dev.ends(GONE_WITHIN_MS);
  expect(livingOf(pids)).toEqual([]);

  const second = await openDev(port);
  expect(second.key).toBe(first.key);
  const kept = await fetch(`${address}/api/v1/customers/acme`, { headers: headers(second.key) });
  expect(kept.status).toBe(200);
  second.dev.signal("group");
  await second.dev.ends(GONE_WITHIN_MS);
});
