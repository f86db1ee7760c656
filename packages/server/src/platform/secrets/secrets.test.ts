import { createSecretKey, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, it, test } from "vitest";
import { openBox, type Place, sealBox } from "./box.ts";
import {
  isProven,
  newDataKey,
  newMasterKey,
  parseMasterKeys,
  proofOf,
  rewrapDataKey,
  unwrapDataKey,
} from "./master-keys.ts";

const newKey = () => createSecretKey(randomBytes(32));
const PLACE: Place = { table: "endpoints", column: "sealed_secret", organizationId: "one", row: "first", version: 1 };
const key = newKey();
const box = sealBox(key, PLACE, Buffer.from("the secret"));

const keysOf = (text: string) => {
  const keys = parseMasterKeys(text);
  if (!keys) throw new Error("these are no keys");
  return keys;
};

describe("a box", () => {
  test("opens with its key in its place, and adds 28 bytes", () => {
    expect(openBox(key, PLACE, box)?.toString()).toBe("the secret");
    expect(box.length).toBe("the secret".length + 28);
  });

  test("is another one every time", () => {
    expect(sealBox(key, PLACE, Buffer.from("the secret"))).not.toEqual(box);
  });

  it.each([
    ["table", { table: "customers" }],
    ["column", { column: "sealed_name" }],
    ["organization", { organizationId: "two" }],
    ["row", { row: "second" }],
    ["version", { version: 2 }],
  ])("that was moved to another %s does not open", (_, moved) => {
    expect(openBox(key, { ...PLACE, ...moved }, box)).toBeUndefined();
  });

  test("does not open with another key", () => {
    expect(openBox(newKey(), PLACE, box)).toBeUndefined();
  });

  test("of which any byte was changed or lost does not open", () => {
    for (const [index] of box.entries()) {
      const changed = Buffer.from(box);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(openBox(key, PLACE, changed), `byte ${index}`).toBeUndefined();
      expect(openBox(key, PLACE, box.subarray(0, index)), `${index} bytes`).toBeUndefined();
    }
  });
});

describe("SECRETS_KEY", () => {
  const [one, two] = [newMasterKey(), newMasterKey()];

  it.each([
    [one, 1, [1]],
    [`${one}\n`, 1, [1]],
    [`7:${one}`, 7, [7]],
    [`2:${two},1:${one}`, 2, [2, 1]],
    [`1:${one},2:${two}`, 1, [1, 2]],
  ])("%s: the first key seals, all open", (text, first, versions) => {
    const keys = keysOf(text);
    expect([keys.first, [...keys.byVersion.keys()]]).toEqual([first, versions]);
  });

  it.each([
    "",
    "password",
    one.slice(0, 40),
    Buffer.alloc(16).toString("base64"),
    Buffer.alloc(33).toString("base64"),
    `${one},${two}`,
    `1:${one},1:${two}`,
    `0:${one}`,
    `-1:${one}`,
    `9999999999:${one}`,
    `2:${two},`,
    `2: ${two}`,
  ])("%j is refused", (text) => {
    expect(parseMasterKeys(text)).toBeUndefined();
  });

  test("shows nothing of the keys when it is printed", () => {
    const bytes = Buffer.from(one, "base64");
    const printed = inspect(keysOf(one), { depth: 9, showHidden: true }) + JSON.stringify(keysOf(one));
    for (const text of [one, bytes.toString("hex"), bytes.toString("latin1")]) expect(printed).not.toContain(text);
  });
});

describe("a data key", () => {
  const [one, two, other] = [newMasterKey(), newMasterKey(), newMasterKey()];
  const { wrapped, key: dataKey } = newDataKey(keysOf(one), { organizationId: "one", version: 1 });

  test("opens with its master key, also beside a newer one", () => {
    for (const text of [one, `2:${two},1:${one}`])
      expect(unwrapDataKey(keysOf(text), wrapped)?.equals(dataKey)).toBe(true);
  });

  test("does not open with another master key, nor as the key of another organization or version", () => {
    expect(unwrapDataKey(keysOf(other), wrapped)).toBeUndefined();
    expect(unwrapDataKey(keysOf(`2:${one}`), wrapped)).toBeUndefined();
    expect(unwrapDataKey(keysOf(one), { ...wrapped, organizationId: "two" })).toBeUndefined();
    expect(unwrapDataKey(keysOf(one), { ...wrapped, version: 2 })).toBeUndefined();
    expect(unwrapDataKey(keysOf(`2:${one},1:${one}`), { ...wrapped, masterVersion: 2 })).toBeUndefined();
  });

  test("stays the same key under another master key", () => {
    const again = rewrapDataKey(keysOf(`2:${two},1:${one}`), wrapped);
    expect(again).toMatchObject({ organizationId: "one", version: 1, masterVersion: 2 });
    expect(again && unwrapDataKey(keysOf(`2:${two}`), again)?.equals(dataKey)).toBe(true);
    expect(rewrapDataKey(keysOf(`2:${two}`), wrapped)).toBeUndefined();
  });

  test("the proof of a master key is proven by that key and version only", () => {
    const proof = proofOf(keysOf(one), 1);
    expect(isProven(keysOf(one), 1, proof)).toBe(true);
    expect(isProven(keysOf(other), 1, proof)).toBe(false);
    expect(isProven(keysOf(`2:${one}`), 1, proof)).toBe(false);
    expect(isProven(keysOf(`2:${one}`), 2, proof)).toBe(false);
  });
});
