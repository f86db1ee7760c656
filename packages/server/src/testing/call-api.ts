/** Calls the API of a service in this process, without a socket. */
import type { FastifyInstance, InjectOptions } from "fastify";
import { tryAgain } from "./try-again.ts";

export type Answer = {
  status: number;
  /** Of a refusal only what programs read, so that tests of a rule do not depend on words. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of any answer; the schema is what checks them
  body: any;
  /** The members of a refusal for people. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  help: any;
  text: string;
  headers: Record<string, unknown>;
};
export type Call = (
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
  options?: CallOptions,
) => Promise<Answer>;
/** `key`: a key, or the text for a person that `make-test-person.ts` makes. */
export type CallOptions = { key?: string | null; headers?: Record<string, string>; raw?: string | Buffer };

const PERSON = /^person (\S+) (\S+)$/;

export function headersOf(credential: string): Record<string, string> {
  const [, token, organization] = PERSON.exec(credential) ?? [];
  if (token === undefined || organization === undefined) return { authorization: `Bearer ${credential}` };
  return {
    cookie: `tallystick=${token}`,
    "tallystick-organization": organization,
    "sec-fetch-site": "same-origin",
  };
}

/** Calls a path below /api/v1, by default with this key. */
export const callOf =
  (app: FastifyInstance, ownKey: string | null): Call =>
  async (method, path, body, { key = ownKey, headers = {}, raw } = {}) => {
    const request: InjectOptions = { method, url: `/api/v1${path}`, headers: { ...headers } };
    if (key !== null) request.headers = { ...headersOf(key), ...request.headers };
    if (raw !== undefined || body !== undefined) {
      request.payload = raw ?? JSON.stringify(body);
      request.headers = { "content-type": "application/json", ...request.headers };
    }
    return tryAgain(async () => {
      const response = await app.inject(request);
      const isJson = String(response.headers["content-type"]).includes("json");
      return {
        status: response.statusCode,
        ...splitBody(isJson ? response.json() : {}, response.statusCode),
        text: response.body,
        headers: response.headers,
      };
    });
  };

function splitBody(body: Record<string, unknown>, status: number): Pick<Answer, "body" | "help"> {
  if (status < 400) return { body, help: {} };
  const { message, request_id, docs_url, errors, ...program } = body;
  return { body: program, help: { message, request_id, docs_url, errors } };
}
