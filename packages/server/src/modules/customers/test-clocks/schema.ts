/** Test clock: what the API takes and gives. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { Selectable } from "kysely";
import {
  envelope,
  formatted,
  id,
  instant,
  nullable,
  oneOf,
  text,
  toApiInstant,
  toApiInstantOrNull,
} from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope, pageQuery } from "../../../http/pagination.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type TestClockRow = Selectable<DB["test_clocks"]>;

const now = () => formatted("datetime", { examples: ["2026-01-31T00:00:00Z"] });

const testClockSchema = Type.Object({
  svc_id: id(),
  name: nullable(Type.String()),
  now: instant("Where the clock stands"),
  status: oneOf(["ready", "advancing"]),
  reached: nullable(instant("While it advances: everything due before this instant is done")),
  advancing_to: nullable(instant("While it advances: where it is going")),
  created_at: instant(),
});
export type ApiTestClock = Static<typeof testClockSchema>;

const params = Type.Object({ svc_id: Type.String() });
const answer = { 200: envelope("test_clock", testClockSchema), ...ERROR_RESPONSES };
const tags = ["Test clocks"];

export const createTestClock = {
  summary: "Create a test clock",
  description: "In sandbox organizations. A customer made with its id lives at the clock's time.",
  tags,
  body: envelope("test_clock", Type.Object({ name: Type.Optional(nullable(text(255))), now: now() })),
  response: answer,
};
export const advanceTestClock = {
  summary: "Advance a test clock",
  description:
    "Runs everything due for its customers up to that instant, in order, each at its own instant. Waits up to 25 s; " +
    "if it takes longer, the answer has the status `advancing` and the work goes on. An instant where the clock stands already " +
    "changes nothing, so the call can be repeated.",
  tags,
  params,
  body: envelope("test_clock", Type.Object({ now: now() })),
  response: answer,
};
export const cancelTestClock = {
  summary: "Stop a test clock that advances",
  description:
    "It stands where it has come to. What is due later happens with the next advance. A clock that stands already stays as it is.",
  tags,
  params,
  response: answer,
};
export const showTestClock = { summary: "Show a test clock", tags, params, response: answer };
export const deleteTestClock = { summary: "Delete a test clock and its customers", tags, params, response: answer };
export const listTestClocks = {
  summary: "List test clocks",
  tags,
  querystring: Type.Object(pageQuery),
  response: { 200: listEnvelope("test_clocks", testClockSchema), ...ERROR_RESPONSES },
};

export function toApiTestClock(row: TestClockRow): ApiTestClock {
  const isAdvancing = row.advancing_to !== null;
  return {
    svc_id: row.id,
    name: row.name,
    now: toApiInstant(row.now),
    status: isAdvancing ? "advancing" : "ready",
    reached: isAdvancing ? toApiInstant(row.now) : null,
    advancing_to: toApiInstantOrNull(row.advancing_to),
    created_at: toApiInstant(row.created_at),
  };
}
