/** Heads: signed, logged, refused when they are not ours, moved by pruning, and signed again with a new master key. */
import { beforeEach, expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { newMasterKey, parseMasterKeys } from "../../../platform/secrets/master-keys.ts";
import { createLog } from "../../../platform/telemetry/log.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { verify } from "../../../verify/index.ts";
import { pruneActivities, sealNextActivities, signHeadsAgain } from "./index.ts";

const lines: string[] = [];
const log = createLog("info", { write: (line: string) => void lines.push(line) });
let now = Temporal.Instant.from("2026-03-01T12:00:00Z");
const oldKey = newMasterKey();
const service = await startTallystick({ log, clock: { now: () => now }, settings: { SECRETS_KEY: `1:${oldKey}` } });
const { platform, app, call, drain, organizations, runScheduled } = service;
const [{ id: organizationId } = { id: "" }] = organizations;
const url = platform.config.DATABASE_URL;

const asOwner = (statement: string) => runOn(url, `set session_replication_role = replica; ${statement}`);
const brokenNow = async (masterKeys = platform.masterKeys) =>
  (await verify(url, { now, masterKeys, organizationId })).filter(({ broken }) => broken > 0).map(({ name }) => name);
const headOf = async () =>
  (
    await runOn<{ sequence: string; chain: string; pruned_sequence: string; master_version: number }>(
      url,
      "select sequence, encode(chain, 'hex') as chain, pruned_sequence, master_version from activity_heads where organization_id = $1",
      [organizationId],
    )
  )[0];
let marks = 0;
async function change(): Promise<void> {
  const { status } = await call("POST", "/taxes", { tax: { name: "T", code: `tax ${marks++}`, rate: "1" } });
  expect(status).toBe(200);
}

beforeEach(async () => {
  for (let count = 0; count < 3; count++) await change();
  await drain();
});

test("the head of each trail is logged every hour, and the trail has that chain at that place for good", async () => {
  lines.length = 0;
  await runScheduled("log_activity_heads");
  const head = await headOf();
  const logged = lines.map((line) => JSON.parse(line)).find((line) => line.organization === organizationId);
  expect(logged).toMatchObject({ sequence: head?.sequence, chain: head?.chain });
  await change();
  await drain();
  const [{ chain } = { chain: "" }] = await runOn<{ chain: string }>(
    url,
    "select encode(chain, 'hex') as chain from activity_seals where organization_id = $1 and sequence = $2",
    [organizationId, logged.sequence],
  );
  expect(chain).toBe(logged.chain);
});

test("a head that others changed is not signed: activities wait, the log and /ready say so, and verify finds it", async () => {
  const before = await headOf();
  await asOwner(`update activity_heads set chain = sha256(chain) where organization_id = '${organizationId}'`);
  lines.length = 0;
  await change();
  await drain();
  expect(lines.filter((line) => line.includes("has not the signature of this service"))).toHaveLength(1);
  expect(await brokenNow()).toEqual(expect.arrayContaining(["activities-are-chained", "activity-heads-are-signed"]));
  now = now.add({ minutes: 11 });
  const { stuck } = (await app.inject("/ready")).json();
  expect(stuck).toContainEqual(expect.objectContaining({ kind: "activities", count: 1 }));
  await asOwner(`update activity_heads set chain = '\\x${before?.chain}' where organization_id = '${organizationId}'`);
  await drain();
  expect(await brokenNow()).toEqual([]);
});

test("pruning leaves a chain that begins at a signed checkpoint, and an activity that says so", async () => {
  now = now.add({ hours: 48 });
  await change();
  await drain();
  const before = await headOf();
  const pruned = await pruneActivities(platform, now.subtract({ hours: 24 }), now);
  expect(pruned).toBeGreaterThanOrEqual(Number(before?.sequence) - 1);
  await drain();
  expect(await headOf()).toMatchObject({ pruned_sequence: String(Number(before?.sequence) - 1) });
  const { activities } = (await call("GET", "/activities")).body;
  expect(activities).toMatchObject([
    { operation: "pruneActivities", actor: { kind: "service" } },
    { operation: "createTax" },
  ]);
  expect(await brokenNow()).toEqual([]);
});

test("by default nothing is pruned, and rows that are not pruned cannot be deleted", async () => {
  now = now.add({ hours: 24 * 4000 });
  const before = await headOf();
  await runScheduled("prune_activities");
  expect(await headOf()).toEqual(before);
  for (const table of ["activities", "activity_seals", "activity_heads"])
    await expect(runOn(url, `delete from ${table}`), table).rejects.toThrow(/never (deleted|becomes shorter)/);
  await expect(runOn(url, "update activities set actor_id = 'x'")).rejects.toThrow("never changes");
});

test("with a new master key heads are signed again, and without the old one they count as forged", async () => {
  const keys = (text: string) => parseMasterKeys(text) ?? platform.masterKeys;
  const second = newMasterKey();
  const [both, newOnly] = [keys(`2:${second},1:${oldKey}`), keys(`2:${second}`)];
  const deps = { ...platform, log };
  expect(await brokenNow(newOnly)).toContain("activity-heads-are-signed");
  await change();
  // A process that lost the old key extends nothing.
  expect(await sealNextActivities({ ...deps, masterKeys: newOnly })()).toBe(false);
  expect(await signHeadsAgain({ ...deps, masterKeys: newOnly })).toBe(0);
  expect(await signHeadsAgain({ ...deps, masterKeys: both })).toBe(organizations.length);
  expect(await sealNextActivities({ ...deps, masterKeys: newOnly })()).toBe(true);
  expect(await brokenNow(newOnly)).not.toContain("activity-heads-are-signed");
  expect(await signHeadsAgain({ ...deps, masterKeys: keys(`3:${newMasterKey()}`) }, { isLost: true })).toBe(
    organizations.length,
  );
});
