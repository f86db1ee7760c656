/** Reads the events of a request from the text of its body, or reports the faults of each. */
import { isStorable } from "../../../http/body.ts";
import type { FieldCodes } from "../../../http/problem.ts";
import { digestBody } from "./digest-event.ts";
import { type EventProperties, NO_PROPERTIES, readProperties } from "./event-properties.ts";
import { readTimestamp } from "./event-timestamp.ts";
import { endOfValue, skipSpace, walkItems, walkMembers } from "./json-slices.ts";
import type { ApiEventCreate } from "./schema.ts";

/** Without the parts needed only for the digest: they would use memory while the event waits. */
type StoredProperties = Pick<EventProperties, "json" | "canonicalJson">;

export type ReadEvent = {
  transactionId: string;
  externalSubscriptionId: string;
  code: string;
  /** Microseconds since 1970; undefined: the time of receipt applies. */
  timestamp: bigint | undefined;
  /** Whether the sender set the timestamp. Otherwise a repeat is not compared by it. */
  isTimed: boolean;
  properties: StoredProperties;
  /** Hexadecimal, 16 bytes. */
  bodyDigest: string;
};

export type Reading = { event: ReadEvent } | { codes: FieldCodes };

/** The parts taken from the text of an event, because parsing would change them. */
export type Slices = { timestamp: string | undefined; properties: EventProperties | undefined };

/** What a format calls the two members that are taken from the text. */
export type SlicedNames = { timestamp: string; properties: string };

const OWN_NAMES: SlicedNames = { timestamp: "timestamp", properties: "properties" };

/** Reads the text of a body without an envelope: `{…}`, or `[{…}, …]`. */
export function sliceBareEvents(text: string, names: SlicedNames): Slices[] {
  const slices: Slices[] = [];
  const at = skipSpace(text, 0);
  if (text[at] === "[") walkItems(text, at, (itemAt) => sliceEvent(text, itemAt, { slices, names }));
  else sliceEvent(text, at, { slices, names });
  return slices;
}

/** Reads the text of a body: `{"event": {…}}`, or `{"events": [{…}, …]}`. Of duplicate names the last counts. */
export function sliceEvents(text: string, envelope: "event" | "events"): Slices[] {
  let slices: Slices[] = [];
  walkMembers(text, skipSpace(text, 0), (name, valueAt) => {
    if (name !== envelope) return endOfValue(text, valueAt);
    slices = [];
    const into = { slices, names: OWN_NAMES };
    return text[valueAt] === "["
      ? walkItems(text, valueAt, (itemAt) => sliceEvent(text, itemAt, into))
      : sliceEvent(text, valueAt, into);
  });
  return slices;
}

/** Combines a parsed body and the slices of its text into an event, if it has no faults. `faults` come from the schema. */
export function readEvent(parsed: ApiEventCreate, slices: Slices, faults: FieldCodes | undefined): Reading {
  const codes: Record<string, readonly string[]> = { ...faults };
  const timestamp = slices.timestamp === undefined ? undefined : readTimestamp(slices.timestamp);
  if (typeof timestamp === "string") codes.timestamp = [timestamp];
  if (!slices.properties) codes.properties ??= ["value_is_out_of_range"];
  if (Object.keys(codes).length > 0 || typeof timestamp === "string" || !slices.properties) return { codes };
  const { transaction_id, external_subscription_id, code } = parsed;
  const { json, canonicalJson, canonical } = slices.properties;
  return {
    event: {
      transactionId: transaction_id,
      externalSubscriptionId: external_subscription_id,
      code,
      timestamp,
      isTimed: timestamp !== undefined,
      properties: { json, canonicalJson },
      bodyDigest: digestBody(code, canonical),
    },
  };
}

/** The members of an event whose text cannot be stored as it was sent. Only a text with an escape can be one. */
export function findUnstorable(parsed: ApiEventCreate): FieldCodes {
  const { transaction_id, external_subscription_id, code, properties } = parsed;
  const members = Object.entries({ transaction_id, external_subscription_id, code, properties });
  const bad = members.filter(([, value]) => !isAllStorable(value));
  return Object.fromEntries(bad.map(([name]) => [name, ["value_is_invalid"]]));
}

function isAllStorable(value: unknown): boolean {
  if (typeof value === "string") return isStorable(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isAllStorable(member));
}

type Into = { slices: Slices[]; names: SlicedNames };

function sliceEvent(text: string, at: number, { slices, names }: Into): number {
  let timestamp: string | undefined;
  let properties: EventProperties | undefined = NO_PROPERTIES;
  // The schema refuses a value that is not an object. It still counts as an item.
  const end =
    text[at] === "{"
      ? walkMembers(text, at, (name, valueAt) => {
          if (name === names.properties && text[valueAt] === "{") {
            const read = readProperties(text, valueAt);
            properties = read.properties;
            return read.end;
          }
          const valueEnd = endOfValue(text, valueAt);
          if (name === names.properties) properties = NO_PROPERTIES;
          if (name === names.timestamp) {
            const source = text.slice(valueAt, valueEnd);
            timestamp = source === "null" ? undefined : source;
          }
          return valueEnd;
        })
      : endOfValue(text, at);
  slices.push({ timestamp, properties });
  return end;
}
