/** `/openapi.json`, and the page `/docs` that shows it. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import reference from "@scalar/fastify-api-reference";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Authenticate, PUBLIC } from "./auth.ts";
import { OWN_PREFIX, renameDescription } from "./field-prefix.ts";

const takesGzip = ({ headers }: FastifyRequest): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headers["accept-encoding"] ?? "");

type Kept = { text: string; compressed: Buffer; etag: string };

/** Each prefix that an organization has chosen has a text; so many are kept. */
const KEPT_MAX = 20;

/**
 * The description changes only with the code, so its text is made once and kept, compressed too. Anyone may read it; a request with a key
 * gets the names of the key's organization.
 */
export function serveDescription(app: FastifyInstance, authenticate: Authenticate): void {
  const kept = new Map<string, Kept>();
  const textFor = (prefix: string): Kept => {
    const known = kept.get(prefix);
    if (known) return known;
    const document = app.swagger();
    const text = JSON.stringify(prefix === OWN_PREFIX ? document : renameDescription(document, prefix));
    const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
    const made = { text, compressed: gzipSync(text, { level: 9 }), etag };
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(prefix, made);
    return made;
  };
  app.get("/openapi.json", { schema: { hide: true }, config: { permission: PUBLIC } }, async (request, reply) => {
    const description = textFor(await prefixOfKey(request, authenticate));
    // Weak, because the same tag is for the compressed text too.
    const etag = `W/${description.etag}`;
    reply.headers({ ETag: etag, "Cache-Control": "no-cache", Vary: "Accept-Encoding, Authorization" });
    if (request.headers["if-none-match"] === etag) return reply.status(304).send();
    reply.type("application/json; charset=utf-8");
    return takesGzip(request)
      ? reply.header("Content-Encoding", "gzip").send(description.compressed)
      : reply.send(description.text);
  });
}

/** A key that does not work is no reason to refuse what anyone may read: a proxy may have a key of its own in the header. */
async function prefixOfKey({ headers }: FastifyRequest, authenticate: Authenticate): Promise<string> {
  const token = headers.authorization?.split(" ")[1];
  const caller = token ? await authenticate(token) : "malformed";
  return typeof caller === "string" ? OWN_PREFIX : caller.fieldPrefix;
}

/** Four strokes and one across. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 2v12M6 2v12M9 2v12M12 2v12M1 12 15 4" stroke="#37815f" stroke-width="1.5"/></svg>';

export async function showDescription(app: FastifyInstance): Promise<void> {
  // Browsers ask for it beside every page.
  app.get("/favicon.ico", { schema: { hide: true }, config: { permission: PUBLIC } }, async (_request, reply) =>
    reply.type("image/svg+xml").header("Cache-Control", "max-age=86400").send(ICON),
  );
  await app.register(async (docs) => {
    // The page has its own script, inline and from this server; it loads nothing from elsewhere.
    docs.addHook("onSend", async (_request, reply) => {
      reply.header(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
          "font-src 'self' data:; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
    });
    docs.addHook("onRoute", (route) => {
      route.config = { ...route.config, permission: PUBLIC };
    });
    sendScriptCompressed(docs);
    await docs.register(reference, {
      routePrefix: "/docs",
      // Without the buttons that link to services of the page's vendor.
      configuration: {
        url: "/openapi.json",
        title: "Tallystick API",
        pageTitle: "Tallystick API",
        withDefaultFonts: false,
        telemetry: false,
        showDeveloperTools: "never",
        hideClientButton: true,
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}

/** The script has 4 MB, a quarter of that when compressed: that is most of the wait for the page. */
function sendScriptCompressed(docs: FastifyInstance): void {
  let compressed: Buffer | undefined;
  docs.addHook("onSend", async (request, reply, payload) => {
    if (request.routeOptions.url !== "/docs/js/scalar.js" || typeof payload !== "string") return payload;
    reply.headers({ "Cache-Control": "max-age=3600", Vary: "Accept-Encoding" });
    // The map that the last line names is not served.
    const script = payload.replace(/\n\/\/# sourceMappingURL=.*$/, "");
    if (!takesGzip(request)) return script;
    compressed ??= gzipSync(script);
    reply.headers({ "Content-Encoding": "gzip", "Content-Length": compressed.length });
    return compressed;
  });
}
