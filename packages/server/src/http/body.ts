/** Reads a JSON body, and refuses text that could not be stored unchanged. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { hasEscapedName, parseJson } from "../platform/json-text.ts";
import { JSON_TYPE } from "./body-schema.ts";
import { explainJson } from "./explain-json.ts";
import { OWN_PREFIX, prefixOf, renameMembers } from "./field-prefix.ts";
import { invalid, invalidMembers, refusal } from "./problem.ts";

const DEPTH_MAX = 32;
const VALUES_MAX = 25_000;
/** Of one list; and members of one object. */
const ITEMS_MAX = 1_000;
const TOO_DEEP = `The body has more than ${VALUES_MAX} values or is nested deeper than ${DEPTH_MAX}. Send a smaller one.`;

declare module "fastify" {
  interface FastifyRequest {
    /** The text of the body, if the route keeps it. */
    bodyText: string;
    /** The length of the body, once it was read. */
    bodyBytes: number;
  }
  interface FastifyContextConfig {
    /** The route parses numbers from the text, and checks itself whether every text can be stored. */
    keepsBodyText?: boolean;
  }
}

export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest("bodyText", "");
  app.decorateRequest("bodyBytes", 0);
  readAsJson(app, JSON_TYPE, { isOurs: true });
}

/** JSON in a format that others define, for the routes of one plugin: no name in it has a prefix of ours. */
export const acceptForeignJson = (app: FastifyInstance, mediaTypes: readonly string[]): void =>
  readAsJson(app, [...mediaTypes], { isOurs: false });

function readAsJson(app: FastifyInstance, mediaTypes: string | string[], { isOurs }: { isOurs: boolean }): void {
  const parseSafely = app.getDefaultJsonParser("error", "error");
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  app.addContentTypeParser(mediaTypes, { parseAs: "buffer" }, async (request: FastifyRequest, buffer: Buffer) => {
    request.bodyBytes = buffer.length;
    await request.takeTurn?.();
    return buffer.length === 0 ? undefined : parse(request, buffer);
  });
  /** The parser of the framework, which refuses members such as `__proto__`. */
  const parseText = (request: FastifyRequest, text: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      void parseSafely(request, text, (error, parsed) =>
        error ? reject(refusal(400, undefined, { message: explainJson(text) })) : resolve(parsed),
      );
    });

  async function parse(request: FastifyRequest, buffer: Buffer): Promise<unknown> {
    let text: string;
    try {
      text = utf8.decode(buffer);
    } catch {
      throw refusal(400, undefined, { message: explainBytes(request.headers["content-encoding"]) });
    }
    const parsed = await parseText(request, text);
    const prefix = isOurs ? prefixOf(request) : OWN_PREFIX;
    const keepsText = request.routeOptions.config.keepsBodyText === true;
    const looksAtTexts = !keepsText && mayHoldUnstorable(text);
    inspect(parsed, { looksAtTexts });
    text = renameMembers(text, prefix);
    if (keepsText) request.bodyText = text;
    if (prefix === OWN_PREFIX && !hasEscapedName(text)) return parsed;
    const value = parseJson(text);
    inspect(value, { looksAtTexts });
    return value;
  }
}

const explainBytes = (encoding: string | undefined): string =>
  encoding === undefined
    ? "The body is not valid UTF-8. Send JSON as UTF-8."
    : `The body is compressed (${encoding.slice(0, 20)}), which this service does not read. Send it without Content-Encoding.`;

/** A path or query with a character that cannot be stored matches no record. */
export async function refuseUnstorableUrl(request: FastifyRequest): Promise<void> {
  if (request.url.length > 8192) throw refusal(414);
  let decoded: string;
  try {
    decoded = decodeURIComponent(request.url);
  } catch {
    throw refusal(400, undefined, {
      message: "The URL has a `%` that does not begin an encoded UTF-8 character. Send `%25`.",
    });
  }
  if (!isStorable(decoded)) throw refusal(404, "resource_not_found");
}

/** Postgres rejects NUL, and would store a lone surrogate as another character, so that two ids could become equal. */
export function isStorable(text: string): boolean {
  return !text.includes("\u0000") && text.isWellFormed();
}

/** JSON can contain a NUL only as an escape, and UTF-8 has no lone surrogates. */
export const mayHoldUnstorable = (json: string): boolean => json.includes("\\u");

/** Refuses what validation would take long over: it collects every fault of a body. */
function inspect(body: unknown, { looksAtTexts }: { looksAtTexts: boolean }): void {
  let values = 0;
  const visit = (value: unknown, field: string, depth: number): void => {
    if (++values > VALUES_MAX || depth > DEPTH_MAX) throw refusal(400, undefined, { message: TOO_DEEP });
    if (typeof value === "string") {
      if (looksAtTexts && !isStorable(value)) throw invalid({ [field]: ["value_is_invalid"] });
    } else if (Array.isArray(value)) {
      if (value.length > ITEMS_MAX) throw tooMany(field);
      for (const item of value) visit(item, field, depth + 1);
    } else if (typeof value === "object" && value !== null) {
      let members = 0;
      // Objects from JSON.parse inherit nothing enumerable, and `for in` creates no list of the members.
      for (const name in value) {
        if (++members > ITEMS_MAX) throw tooMany(field);
        if (looksAtTexts && !isStorable(name)) throw invalid({ [field]: ["value_is_invalid"] });
        visit((value as Record<string, unknown>)[name], name, depth + 1);
      }
    }
  };
  visit(body, "base", 0);
}

const tooMany = (path: string) =>
  invalidMembers([
    {
      path,
      code: "too_many_items",
      message: `The list or object has more than ${ITEMS_MAX} items. Send fewer at a time.`,
    },
  ]);
