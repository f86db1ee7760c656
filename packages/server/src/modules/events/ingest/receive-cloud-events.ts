/**
 * CloudEvents, the format of other usage meters: an event or a list of events on `POST /events`. They are read from the same text, checked by
 * the same rules and stored by the same statement as events in our own format.
 */
import type { FastifyRequest } from "fastify";
import { mayHoldUnstorable } from "../../../http/body.ts";
import { codesOfBareItems, codesOfBareRecord } from "../../../http/errors.ts";
import { type FieldCodes, invalid, invalidItems } from "../../../http/problem.ts";
import type { ApiCloudEvent } from "./cloud-event-schema.ts";
import { eventErrors } from "./errors.ts";
import { findUnstorable, type Reading, readEvent, type Slices, sliceBareEvents } from "./read-events.ts";
import { type ReceiveDeps, reject, store, TAKEN, textOf } from "./receive-events.ts";
import { TRANSACTION_ID_LENGTH_MAX } from "./schema.ts";

/** What CloudEvents call our members. */
const THEIR_NAMES: Readonly<Record<string, string>> = {
  transaction_id: "id",
  external_subscription_id: "subject",
  code: "type",
  timestamp: "time",
  properties: "data",
};

const SLICED = { timestamp: "time", properties: "data" };

/** `application/cloudevents+json` */
export async function receiveCloudEvent(deps: ReceiveDeps, request: FastifyRequest): Promise<void> {
  const faults = codesOfBareRecord(request);
  const [slices] = faults.base ? [] : sliceBareEvents(request.bodyText, SLICED);
  const reading = faults.base ? { codes: faults } : readOne(request, request.body as ApiCloudEvent, slices, faults);
  if ("codes" in reading) throw reject(deps, request, 1, invalid(reading.codes));
  await store(deps, request, { events: [reading.event], answer: () => "", refuse: () => invalid(inTheirNames(TAKEN)) });
}

/**
 * `application/cloudevents-batch+json`. A sender of another service chooses how many events it sends, so there is no limit but that of every
 * list. All or nothing, because one statement stores as many.
 */
export async function receiveCloudEvents(deps: ReceiveDeps, request: FastifyRequest): Promise<void> {
  const faults = codesOfBareItems(request);
  const items = request.body as readonly ApiCloudEvent[];
  if (items.length === 0) throw eventErrors.invalid("base", "no_events");
  const slices = sliceBareEvents(request.bodyText, SLICED);
  const readings = items.map((item, index) => readOne(request, item, slices[index], faults.get(index) ?? {}));
  const wrong = readings.flatMap((reading, index) => ("codes" in reading ? [[index, reading.codes] as const] : []));
  if (wrong.length > 0) throw reject(deps, request, items.length, invalidItems("", new Map(wrong)));
  await store(deps, request, {
    events: readings.flatMap((reading) => ("event" in reading ? [reading.event] : [])),
    answer: () => "",
    refuse: (conflicts) => invalidItems("", new Map(conflicts.map((index) => [index, inTheirNames(TAKEN)]))),
  });
}

/** `faults` come from the schema. */
function readOne(
  request: FastifyRequest,
  sent: ApiCloudEvent,
  slices: Slices | undefined,
  faults: FieldCodes,
): Reading {
  if (Object.keys(faults).length > 0) return { codes: faults };
  const event = { ...toOwnForm(sent), properties: sent.data ?? null };
  const unstorable = mayHoldUnstorable(request.bodyText) ? findUnstorable(event) : {};
  const tooLong =
    event.transaction_id.length > TRANSACTION_ID_LENGTH_MAX ? { transaction_id: ["source_and_id_are_too_long"] } : {};
  const reading = readEvent(event, textOf(slices), { ...unstorable, ...tooLong });
  return "codes" in reading ? { codes: inTheirNames(reading.codes) } : reading;
}

/** The last `#` ends the source, because the id has none: so two events never share an identity by the way that they are joined. */
const toOwnForm = ({ source, id, subject, type }: ApiCloudEvent) => ({
  transaction_id: `${source}#${id.replace(/[%#]/g, encodeURIComponent)}`,
  external_subscription_id: subject,
  code: type,
});

const inTheirNames = (codes: FieldCodes): FieldCodes =>
  Object.fromEntries(Object.entries(codes).map(([name, own]) => [THEIR_NAMES[name] ?? name, own]));
