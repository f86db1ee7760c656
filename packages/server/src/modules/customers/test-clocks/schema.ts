/** Test clock: the API's requests and responses. */
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
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type TestClockRow = Selectable<DB["test_clocks"]>;

const CLOCK_STATUSES = ["ready", "advancing"] as const;

const now = () => formatted("datetime", { examples: ["2026-01-31T00:00:00Z"] });

const testClockSchema = namedObject("TestClock", {
  svc_id: id(),
  name: nullable(Type.String()),
  now: instant("The current time of the clock"),
  status: oneOf(CLOCK_STATUSES),
  reached: nullable(instant("While it advances: everything due before this instant is done")),
  advancing_to: nullable(instant("While it advances: the target of the advance")),
  created_at: instant(),
});
export type ApiTestClock = Static<typeof testClockSchema>;

const params = Type.Object({ svc_id: Type.String() });
const answer = { 200: envelope("test_clock", testClockSchema), ...ERROR_RESPONSES };
const tags = ["Test clocks"];

export const createTestClock = {
  summary: "Create a test clock",
  description: "Only in sandbox organizations. A customer created with its id uses the clock's time.",
  tags,
  body: envelope("test_clock", Type.Object({ name: Type.Optional(nullable(text(255))), now: now() })),
  response: answer,
};
export const advanceTestClock = {
  summary: "Advance a test clock",
  description:
    "Runs everything due for its customers up to that instant, in order, each at its own instant. Waits up to 25 s. " +
    "If it takes longer, the response has the status `advancing` and the work continues. Advancing to the clock's current time " +
    "changes nothing, so the call can be repeated. A target more than 25 years ahead needs `confirm: true`. Stop an advance with " +
    "`POST /test_clocks/{svc_id}/cancel`.",
  tags,
  params,
  body: envelope(
    "test_clock",
    Type.Object({
      now: now(),
      confirm: Type.Optional(
        Type.Boolean({
          description: "That a target more than 25 years ahead is meant. Without effect on nearer ones.",
        }),
      ),
    }),
  ),
  response: answer,
};
export const cancelTestClock = {
  summary: "Stop an advancing test clock",
  description:
    "The clock stays at the instant it has reached, and everything due up to then is done. What is due later runs with the next advance. " +
    "A clock that does not advance stays unchanged, so the call can be repeated.",
  tags,
  params,
  response: answer,
};
export const showTestClock = {
  summary: "Show a test clock",
  description: "With its progress while it advances.",
  tags,
  params,
  response: answer,
};
export const deleteTestClock = {
  summary: "Delete a test clock and its customers",
  description: "Refused while it advances.",
  tags,
  params,
  response: answer,
};
export const testClockList = declareList({
  sorts: ["-created_at"],
  choices: { status: CLOCK_STATUSES },
  search: "name",
});
export const listTestClocks = {
  summary: "List test clocks",
  description: "Newest first.",
  tags,
  querystring: testClockList.querystring,
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
