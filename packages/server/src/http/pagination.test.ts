import { expect, it, test } from "vitest";
import { startTallystick } from "../testing/start-tallystick.ts";
import { readPage } from "./pagination.ts";

const { call, organizations } = await startTallystick();
const empty = { key: organizations[1]?.key ?? "" };
const COUNT = 7;
for (let number = 1; number <= COUNT; number++)
  await call("POST", "/taxes", { tax: { name: `Tax ${number}`, code: `tax-${number}`, rate: "1" } });

const list = async (query: string, options = {}) => {
  const { body } = await call("GET", `/taxes${query}`, undefined, options);
  // Cursors are tested with all lists.
  const { next_cursor: _, ...meta } = body.meta;
  return { numbers: body.taxes.map(({ code }: { code: string }) => Number(code.slice(4))), meta };
};
const NEWEST_FIRST = [7, 6, 5, 4, 3, 2, 1];
const wholeMeta = { current_page: 1, next_page: null, prev_page: null, total_pages: 1, total_count: COUNT };

test("without a query there is one page of up to 100, newest first", async () => {
  expect(await list("")).toEqual({ numbers: NEWEST_FIRST, meta: wholeMeta });
});

it.each([
  [1, [7, 6, 5], { current_page: 1, next_page: 2, prev_page: null, total_pages: 3, total_count: 7 }],
  [2, [4, 3, 2], { current_page: 2, next_page: 3, prev_page: 1, total_pages: 3, total_count: 7 }],
  [3, [1], { current_page: 3, next_page: null, prev_page: 2, total_pages: 3, total_count: 7 }],
])("page %i of three", async (page, numbers, meta) => {
  expect(await list(`?per_page=3&page=${page}`)).toEqual({ numbers, meta });
});

it.each([4, 5, 1000, 999_999_999])(
  "page %i, past the end, is empty, keeps its number and points back to the last",
  async (page) => {
    expect(await list(`?per_page=3&page=${page}`)).toEqual({
      numbers: [],
      meta: { current_page: page, next_page: null, prev_page: 3, total_pages: 3, total_count: 7 },
    });
  },
);

it.each(["", "?page=1", "?page=5", "?per_page=2&page=3"])(
  "an empty result has page 0 of 0, also with %j",
  async (query) => {
    expect(await list(query, empty)).toEqual({
      numbers: [],
      meta: { current_page: 0, next_page: null, prev_page: null, total_pages: 0, total_count: 0 },
    });
  },
);

const JUNK = [
  "x",
  "0",
  "-1",
  "1.5",
  "1e3",
  "",
  "%20",
  "NaN",
  "Infinity",
  "0x10",
  "9999999999",
  "%D9%A1",
  "true",
  "null",
  "+2",
];

it.each(JUNK)("per_page=%s is not a number of records: the default is used", async (junk) => {
  expect(await list(`?per_page=${junk}`)).toEqual({ numbers: NEWEST_FIRST, meta: wholeMeta });
});

it.each(JUNK)("page=%s is not a page: the first is shown", async (junk) => {
  expect((await list(`?per_page=3&page=${junk}`)).meta.current_page).toBe(1);
});

test("?page=2&page=3 is not a page: the first is shown", async () => {
  expect(await list("?page=2&page=3")).toEqual({ numbers: NEWEST_FIRST, meta: wholeMeta });
});

test("the default page size is 100 and the maximum is 1000", async () => {
  for (let number = 1; number <= 101; number++)
    await call("POST", "/test_clocks", { test_clock: { now: "2026-01-31T00:00:00Z" } });
  const pages = async (query: string) => (await call("GET", `/test_clocks${query}`)).body.meta.total_pages;
  expect(await pages("")).toBe(2);
  expect(await pages("?per_page=0")).toBe(2);
  expect(await pages("?per_page=101")).toBe(1);
  for (const expected of ["1000", "1001", "999999999"]) expect(readPage({ per_page: expected }).size).toBe(1000);
});

test("the pages of a list hold every record once", async () => {
  const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`?per_page=2&page=${page}`)));
  expect(pages.flatMap(({ numbers }) => numbers)).toEqual(NEWEST_FIRST);
});
