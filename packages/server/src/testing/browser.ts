/** A browser on a page of the service: it keeps the cookie, and says where its requests come from. */
import type { FastifyInstance } from "fastify";
import { tryAgain } from "./try-again.ts";

type Sent = { method?: "GET" | "POST" | "PUT" | "DELETE"; headers?: Record<string, string>; address?: string };
// biome-ignore lint/suspicious/noExplicitAny: a test reads members of any answer
export type Page = { status: number; body: any; cookie: string; headers: Record<string, unknown> };
export type Browser = {
  /** With a body, the method is POST. */
  send: (path: string, body?: object, sent?: Sent) => Promise<Page>;
  /** For these the browser names an organization. */
  actFor: (organizationId: string) => void;
  cookie: () => string;
};

export function openBrowser(app: FastifyInstance, { cookie: given = "", address = "203.0.113.7" } = {}): Browser {
  let cookie = given;
  let organization: Record<string, string> = {};
  return {
    actFor: (organizationId) => {
      organization = { "tallystick-organization": organizationId };
    },
    cookie: () => cookie,
    send: async (path, body, { method = body ? "POST" : "GET", headers = {}, address: from = address } = {}) => {
      const own = { "sec-fetch-site": "same-origin", ...organization, ...(cookie ? { cookie } : {}) };
      const request = { method, url: path, headers: { ...own, ...headers }, remoteAddress: from };
      return tryAgain(async () => {
        const response = await app.inject(body ? { ...request, payload: body } : request);
        const set = response.headers["set-cookie"];
        if (typeof set === "string") cookie = set.includes("Max-Age=0") ? "" : (set.split(";")[0] ?? "");
        const isJson = String(response.headers["content-type"]).includes("json");
        return {
          ...{ status: response.statusCode, body: isJson ? response.json() : {} },
          ...{ cookie: String(set ?? ""), headers: response.headers },
        };
      });
    },
  };
}
