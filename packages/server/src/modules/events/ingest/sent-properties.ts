/** The properties of an event that is not stored, such as for an estimate. */
import type { FastifyRequest } from "fastify";
import { invalid } from "../../../http/problem.ts";
import { findUnstorable, sliceEvents } from "./read-events.ts";
import type { ApiEventCreate } from "./schema.ts";

/** By their canonical texts, read from the text of the body like those of a stored event; null values are absent. */
export function readSentProperties(request: FastifyRequest): Readonly<Record<string, string>> {
  const { event } = request.body as { event: ApiEventCreate };
  const faults = findUnstorable(event);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  const [slices] = sliceEvents(request.bodyText, "event");
  if (!slices?.properties) throw invalid({ properties: ["value_is_out_of_range"] });
  const { canonical } = slices.properties;
  const pairs = Array.from({ length: canonical.length / 2 }, (_, index): [string, string] => [
    canonical[2 * index] ?? "",
    canonical[2 * index + 1] ?? "",
  ]);
  return Object.fromEntries(pairs);
}
