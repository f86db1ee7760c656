/** A browser on a page of the service: it keeps cookies, says which site it is on, and has an address of its own. */
import type { FastifyInstance, InjectOptions } from "fastify";

type Reply = {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of any answer
  body: any;
  headers: Record<string, unknown>;
};

export type Browser = {
  send: (
    method: "GET" | "POST" | "PUT" | "DELETE",
    url: string,
    body?: object,
    organization?: string,
  ) => Promise<Reply>;
  /** Follows a link of another site. */
  arrive: (url: string) => Promise<Reply>;
  cookies: Map<string, string>;
};

let opened = 0;

export function openBrowser(app: FastifyInstance): Browser {
  const cookies = new Map<string, string>();
  opened++;
  const remoteAddress = `10.${(opened >> 16) & 255}.${(opened >> 8) & 255}.${opened & 255}`;
  const request = async (options: InjectOptions): Promise<Reply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...options.headers, ...(cookie ? { cookie } : {}) };
    const answer = await app.inject({ remoteAddress, ...options, headers });
    for (const { name, value } of answer.cookies) cookies.set(name, value);
    const isJson = String(answer.headers["content-type"]).includes("json");
    return { status: answer.statusCode, body: isJson ? answer.json() : {}, headers: answer.headers };
  };
  return {
    cookies,
    send: (method, url, body, organization) =>
      request({
        ...{ method, url },
        headers: {
          "sec-fetch-site": "same-origin",
          ...(organization === undefined ? {} : { "tallystick-organization": organization }),
        },
        ...(body ? { payload: body } : {}),
      }),
    arrive: (url) => request({ method: "GET", url, headers: { "sec-fetch-site": "cross-site" } }),
  };
}
