/**
 * The prefix of members such as `svc_id`. An organization may choose another one, so that clients of another service can read its answers.
 * Names are exchanged where text comes in and goes out: all other code and all stored data know only `svc`.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";

export const OWN_PREFIX = "svc";

/** What stands under these names in an object was named by the caller, or is data: `{"properties": {…}}`. Items of a list are ours. */
export const FREE_MEMBERS: ReadonlySet<string> = new Set([
  "derivation",
  "filter",
  "filters",
  "first",
  "group",
  "grouped_by",
  "metadata",
  "properties",
  "request_headers",
  "second",
  "values",
]);

declare module "fastify" {
  interface FastifyInstance {
    /** Whether members of the API begin with it already, so that members with the prefix could be confused with them. */
    isPrefixTaken: (prefix: string) => boolean;
  }
}

export const prefixOf = ({ caller }: FastifyRequest): string => caller?.fieldPrefix ?? OWN_PREFIX;

/**
 * Own names for names with the prefix and the other way round, so that doing it twice changes nothing. A client that says `svc_id` although
 * its organization has another prefix names an unknown member.
 */
export function renamed(name: string, prefix: string): string {
  if (name.startsWith(`${prefix}_`)) return OWN_PREFIX + name.slice(prefix.length);
  if (name.startsWith(`${OWN_PREFIX}_`)) return prefix + name.slice(OWN_PREFIX.length);
  return name;
}

/** `X-Svc-Signature` with the prefix. */
export const headerOf = (name: string, prefix: string): string =>
  name.replace(/^X-Svc-/, `X-${prefix.charAt(0).toUpperCase()}${prefix.slice(1)}-`);

/** `customer.svc_id`. Beyond a free member, the steps are the caller's, unless it is a list. */
export function renamePath(path: string, prefix: string): string {
  if (prefix === OWN_PREFIX) return path;
  let isInside = false;
  let isFree = false;
  return path.replace(/[^.[\]]+/g, (step) => {
    const isIndex = /^\d+$/.test(step);
    isFree ||= isInside && !isIndex;
    isInside = FREE_MEMBERS.has(step);
    return isFree || isIndex ? step : renamed(step, prefix);
  });
}

/** Renames members in valid JSON. All other bytes stay, so that numbers keep their digits and free members their form. */
export function renameMembers(json: string, prefix: string): string {
  if (prefix === OWN_PREFIX) return json;
  const parts: string[] = [];
  let copied = 0;
  let quote = json.indexOf('"');
  while (quote !== -1) {
    const end = endOfText(json, quote);
    const colon = skipSpace(json, end);
    let next = end;
    // In valid JSON, only the name of a member is followed by a colon.
    if (json[colon] === ":") {
      const name = String(JSON.parse(json.slice(quote, end)));
      const value = skipSpace(json, colon + 1);
      const other = renamed(name, prefix);
      if (other !== name) {
        parts.push(json.slice(copied, quote), JSON.stringify(other));
        copied = end;
      }
      next = FREE_MEMBERS.has(name) && json[value] === "{" ? endOfObject(json, value) : value;
    }
    quote = json.indexOf('"', next);
  }
  parts.push(json.slice(copied));
  return parts.join("");
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (" \t\r\n".includes(json[at] ?? "x")) at++;
  return at;
}

/** Behind the closing quote. A quote after an odd number of backslashes is part of the text. */
function endOfText(json: string, quote: number): number {
  let end = quote;
  let backslashes = 0;
  do {
    end = json.indexOf('"', end + 1);
    backslashes = 0;
    while (json[end - 1 - backslashes] === "\\") backslashes++;
  } while (backslashes % 2 === 1);
  return end + 1;
}

/** Behind the closing brace. */
function endOfObject(json: string, brace: number): number {
  let depth = 0;
  let at = brace;
  do {
    if (json[at] === '"') {
      at = endOfText(json, at);
      continue;
    }
    if (json[at] === "{") depth++;
    if (json[at] === "}") depth--;
    at++;
  } while (depth > 0);
  return at;
}

/** For bodies, see `body.ts`; for refusals, which name members in other ways too, `error-messages.ts`. */
export function renameForCallers(app: FastifyInstance): void {
  app.addHook("preValidation", async (request) => {
    const prefix = prefixOf(request);
    if (prefix === OWN_PREFIX) return;
    const query = Object.entries(request.query as object);
    request.query = Object.fromEntries(query.map(([name, value]) => [renamed(name, prefix), value]));
  });
  app.addHook("onSend", async (request, reply, payload) => {
    const prefix = prefixOf(request);
    const isAnswer = typeof payload === "string" && reply.statusCode < 400 && isJson(reply.getHeader("content-type"));
    return prefix !== OWN_PREFIX && isAnswer ? renameMembers(payload, prefix) : payload;
  });
}

const isJson = (type: unknown): boolean => String(type).startsWith("application/json");

/** The API description is ours alone: no name and no text in it is a caller's. */
export function renameDescription(value: unknown, prefix: string): unknown {
  if (typeof value === "string") return inText(value, prefix);
  if (Array.isArray(value)) return value.map((item) => renameDescription(item, prefix));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [inText(name, prefix), renameDescription(member, prefix)]),
  );
}

const inText = (text: string, prefix: string): string =>
  text.replace(/(?<!\w)svc_(?=\w)/g, `${prefix}_`).replace(/(?<!\w)X-Svc-/g, headerOf("X-Svc-", prefix));

/** `read` gives everything that names members, once all routes are there. */
export function offerTakenPrefixes(app: FastifyInstance, read: () => unknown): void {
  let taken: Set<string> | undefined;
  app.decorate("isPrefixTaken", (prefix: string) => {
    taken ??= new Set(namesIn(read()).map((name) => name.split("_")[0] ?? ""));
    return prefix !== OWN_PREFIX && taken.has(prefix);
  });
}

/** More than the names of members, because texts of one word are names too: of parameters, and of what a schema requires. */
function namesIn(value: unknown): string[] {
  if (typeof value === "string") return /^[a-z]+_\w+$/.test(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value).filter((name) => /^[a-z]+_/.test(name));
  return [...names, ...Object.values(value).flatMap(namesIn)];
}
