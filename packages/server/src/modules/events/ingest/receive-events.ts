/** Handles an ingestion request: reads its events, stores them, and returns the outcome. */
import assert from "node:assert/strict";
import type { FastifyRequest } from "fastify";
import { mayHoldUnstorable } from "../../../http/body.ts";
import { codesOfItems, codesOfRecord } from "../../../http/errors.ts";
import { type FieldCodes, invalid, invalidItems, missingEnvelope, type Problem } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { RefusedCounter } from "./count-refused.ts";
import { eventErrors } from "./errors.ts";
import { type Submit, storeRequests } from "./group-commit.ts";
import { type Outcome, outcomesIn } from "./outcomes.ts";
import { findUnstorable, type ReadEvent, readEvent, type Slices, sliceEvents } from "./read-events.ts";
import { type ApiEventCreate, BATCH_EVENTS_MAX } from "./schema.ts";
import type { TellTime } from "./tell-time.ts";
import type { EventOutcome } from "./to-api.ts";

export type ReceiveDeps = { submit: Submit; refused: RefusedCounter; clock: Clock; tellTime: TellTime };

/** Requests with an Idempotency-Key have their own positions: their transactions are longer, and no queue waits for them. */
const LANE_OF_KEYED_REQUESTS = 4;

export const TAKEN: FieldCodes = { transaction_id: ["value_already_exist"] };

/** `POST /events` */
export async function receiveOne(deps: ReceiveDeps, request: FastifyRequest): Promise<string> {
  // Without a media type, the framework checks no body.
  if (request.body === undefined) throw missingEnvelope("event");
  const faults = codesOfRecord(request);
  const { event: parsed } = request.body as { event: ApiEventCreate };
  const [slices] = sliceEvents(request.bodyText, "event");
  const unstorable = mayHoldUnstorable(request.bodyText) ? findUnstorable(parsed) : {};
  const reading = readEvent(parsed, textOf(slices), { ...unstorable, ...faults });
  if ("codes" in reading) throw reject(deps, request, 1, invalid(reading.codes));
  return store(deps, request, {
    events: [reading.event],
    answer: ([event]) => `{"event":${event}}`,
    refuse: () => invalid(TAKEN),
  });
}

/** `POST /events/batch` */
export async function receiveMany(deps: ReceiveDeps, request: FastifyRequest): Promise<string> {
  const { events: parsed } = (request.body ?? {}) as { events?: unknown };
  if (Array.isArray(parsed) && parsed.length > BATCH_EVENTS_MAX)
    throw reject(deps, request, parsed.length, eventErrors.invalid("events", "too_many_events"));
  const faults = codesOfItems(request);
  const items = parsed as readonly ApiEventCreate[];
  if (items.length === 0) throw eventErrors.invalid("events", "no_events");
  const slices = sliceEvents(request.bodyText, "events");
  const looksAtTexts = mayHoldUnstorable(request.bodyText);
  const readings = items.map((item, index) =>
    readEvent(item, textOf(slices[index]), faults.get(index) ?? (looksAtTexts ? findUnstorable(item) : undefined)),
  );
  const wrong = readings.flatMap((reading, index) => ("codes" in reading ? [[index, reading.codes] as const] : []));
  if (wrong.length > 0) throw reject(deps, request, items.length, invalidItems("events", new Map(wrong)));
  return store(deps, request, {
    events: readings.flatMap((reading) => ("event" in reading ? [reading.event] : [])),
    answer: (texts) => `{"events":[${texts}]}`,
    refuse: (conflicts) => invalidItems("events", new Map(conflicts.map((index) => [index, TAKEN]))),
  });
}

/** Counts the events of a refused request. */
export function reject(deps: ReceiveDeps, request: FastifyRequest, rejected: number, problem: Problem): Problem {
  deps.refused.add(request.caller.organizationId, { conflict: 0, rejected });
  return problem;
}

export function textOf(slices: Slices | undefined): Slices {
  assert(slices, "every event that was parsed has its place in the text");
  return slices;
}

type Request = {
  events: readonly ReadEvent[];
  answer: (events: readonly string[]) => string;
  /** The refusal of a request whose events at these indexes conflict with stored ones. */
  refuse: (conflicts: readonly number[]) => Problem;
};

/** The answer, after the events are stored. */
export async function store(
  deps: ReceiveDeps,
  request: FastifyRequest,
  { events, answer, refuse }: Request,
): Promise<string> {
  const { organizationId } = request.caller;
  const timed = events.every(({ isTimed }) => isTimed) ? events : await deps.tellTime(request, events);
  const toAnswer = (outcome: Outcome | undefined): string => {
    assert(outcome, "every request has its outcome");
    if ("conflicts" in outcome) throw refuse(outcome.conflicts);
    return answer(outcome.events);
  };
  if (request.headers["idempotency-key"] === undefined) {
    const { length } = request.bodyText;
    // The body is no longer needed: only the events wait for the commit.
    request.body = undefined;
    return toAnswer(await deps.submit(organizationId, timed, length));
  }
  // The row of the Idempotency-Key and the events share one transaction, which no other request can join.
  const storeIn = async (tx: Tx, first?: readonly EventOutcome[]): Promise<Outcome | undefined> => {
    const lane = LANE_OF_KEYED_REQUESTS;
    const [outcome] = await storeRequests({ db: tx, clock: deps.clock, organizationId, lane, first }, [timed]);
    return outcome;
  };
  const answered = await request.writeBriefly<Answered>(
    async (tx) => {
      const outcome = await storeIn(tx);
      // A refusal also rolls back the transaction's counts.
      if (outcome && "conflicts" in outcome) {
        const conflict = outcome.conflicts.length;
        deps.refused.add(organizationId, { conflict, rejected: timed.length - conflict });
      }
      return { text: toAnswer(outcome), outcomes: outcomesIn(outcome) };
    },
    {
      shorten: ({ outcomes }) => ({ outcomes }),
      restore: async (tx, kept) => {
        // As earlier versions stored it.
        if (typeof kept === "string") return { text: kept, outcomes: [] };
        // The events are in the database forever: only which of them were new then is not.
        const { outcomes } = kept as Pick<Answered, "outcomes">;
        return { text: toAnswer(await storeIn(tx, outcomes)), outcomes };
      },
    },
  );
  return answered.text;
}

type Answered = { text: string; outcomes: readonly EventOutcome[] };
