// The development engine and a service that uses it, as started in two terminals.

import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { closeAfterTest, openDoor, privateTemporaryFolder } from "./door.ts";

const temporary = privateTemporaryFolder();
const BEGUN_WITHIN_MS = 180_000;
const GONE_WITHIN_MS = 120_000;

test("a sandbox drops its own ClickHouse database when it ends; the engine deletes its data when it ends", async () => {
  const env = { TMPDIR: temporary.path };
  const engine = closeAfterTest(openDoor(["run", "-s", "clickhouse", "--", "--port", "0"], env));
  const { url }: { url: string } = JSON.parse(await engine.prints("stdout", /\n/, BEGUN_WITHIN_MS));
  const databases = async (): Promise<string[]> => {
    const answer = await fetch(`${url}/?query=${encodeURIComponent("show databases like 'tallystick%'")}`);
    return (await answer.text()).split("\n").filter((name) => name !== "");
  };

  const sandbox = closeAfterTest(
    openDoor(["run", "-s", "sandbox", "--", "--port", "0"], { ...env, CLICKHOUSE_URL: url }),
  );
  const service: { url: string } = JSON.parse(await sandbox.prints("stdout", /\n/, BEGUN_WITHIN_MS));
  expect(await databases()).toEqual([expect.stringMatching(/^tallystick_[0-9a-f]{16}$/)]);
  expect(await (await fetch(`${service.url}/ready`)).json()).toEqual({
    ready: true,
    obstacles: [],
    warnings: [],
    stuck: [],
  });
  sandbox.signal("group");
  await sandbox.ends(GONE_WITHIN_MS);
  expect(await databases()).toEqual([]);

  expect(readdirSync(temporary.path).filter((name) => name.startsWith("tallystick-clickhouse-"))).toHaveLength(1);
  engine.signal("group");
  await engine.ends(GONE_WITHIN_MS);
  expect(readdirSync(temporary.path).filter((name) => name.startsWith("tallystick-clickhouse-"))).toEqual([]);
});
