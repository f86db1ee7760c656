/** The pages for people: built files whose names change with their content, and one document that leads to them. It knows no business words. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { PUBLIC } from "./auth.ts";

/** Answers a request that no route has, if it is for a page. */
export type AnswerPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

const YEAR_MS = 31_536_000_000;
/** What the build writes where the nonce belongs. */
const NONCE = "CSP_NONCE";
const LOOSE_FILES = { "scheme.js": "text/javascript; charset=utf-8", "mark.svg": "image/svg+xml" };
/** An unknown path of these is a mistake of a program, and no page. */
const NOT_PAGES = /^[/](api|assets|docs|files|health|metrics|openapi[.]json|ready|session)([/?]|$)/;

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tallystick</title>
<h1>The console is not built</h1>
<p>Run <code>npm run build</code>, and start the service again. The API works without it; its reference is at <a href="/docs">/docs</a>.</p>
</html>`;

/** No script, style, font or picture comes from elsewhere, and a page is in no frame of another site. */
const policyFor = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

export async function addBrowserPages(app: FastifyInstance, folder: string): Promise<AnswerPage> {
  const document = join(folder, "index.html");
  const isBuilt = existsSync(document);
  const text = isBuilt ? readFileSync(document, "utf8") : NOT_BUILT;
  if (isBuilt) await app.register(async (scope) => addFiles(scope, folder));
  // No route for every path: an unknown path of the API must stay unknown.
  return ({ method, url, headers }, reply) => {
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead || NOT_PAGES.test(url) || !headers.accept?.includes("text/html")) return undefined;
    const nonce = randomBytes(16).toString("base64");
    return reply
      .status(isBuilt ? 200 : 503)
      .header("Cache-Control", "no-cache")
      .header("Content-Security-Policy", policyFor(nonce))
      .type("text/html; charset=utf-8")
      .send(text.replaceAll(NONCE, nonce));
  };
}

async function addFiles(scope: FastifyInstance, folder: string): Promise<void> {
  scope.addHook("onRoute", (route) => {
    route.config = { ...route.config, permission: PUBLIC };
    route.schema = { ...route.schema, hide: true };
  });
  await scope.register(fastifyStatic, {
    root: join(folder, "assets"),
    prefix: "/assets/",
    // The build compressed them, as small as it gets.
    preCompressed: true,
    immutable: true,
    maxAge: YEAR_MS,
    decorateReply: false,
    index: false,
  });
  for (const [name, type] of Object.entries(LOOSE_FILES)) {
    const body = readFileSync(join(folder, name));
    scope.get(`/${name}`, async (_request, reply) => reply.header("Cache-Control", "no-cache").type(type).send(body));
  }
}
