// What a release published stays: its record, its migrations, and the schema that its programs use. ADR 0010, 0072.

import { expect, test } from "vitest";
import { createTemporaryDatabase } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { changedFilesOf, changedMigrationsOf, listReleases, readReleasedSchema } from "../../scripts/release/record.ts";
import { mayChange, readSchemaLines } from "../../scripts/release/schema-lines.ts";
import { root } from "../doors/door.ts";
import { CONTRACTED } from "./contracted-schema.ts";

const releases = listReleases(root);
const last = releases.at(-1) ?? "";

/** Function bodies may change: an older program calls a function by its arguments. */
const missingFrom = (now: readonly string[], released: readonly string[]): string[] =>
  released.filter((line) => !mayChange(line) && !now.includes(line));

test.each(releases)("the record of %s is as it was written", (version) => {
  expect(changedFilesOf(root, version)).toEqual([]);
});

test.each(releases)("the migrations of %s are as they were released", (version) => {
  expect(changedMigrationsOf(root, version)).toEqual([]);
});

test.runIf(last)("the schema has every part of the last release, except those with a reason", async () => {
  const database = await createTemporaryDatabase(undefined);
  try {
    const missing = missingFrom(await readSchemaLines(database.url), readReleasedSchema(root, last));
    expect(missing).toEqual(Object.keys(CONTRACTED[last] ?? {}).sort());
  } finally {
    await database.remove();
  }
});

test("a part that is gone or changed is found, and the body of a function may change", () => {
  const released = ["body of public.f() abc", "column public.a.b text", "row security public.a forced"];
  expect(missingFrom(["column public.a.b text", "row security public.a"], released)).toEqual([
    "row security public.a forced",
  ]);
});
