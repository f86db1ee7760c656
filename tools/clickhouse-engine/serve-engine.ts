/** The part of ClickHouse's HTTP interface that its stock client needs. It refuses everything else. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { bindParameters } from "./bind-parameters.ts";
import { type Engine, openEngine, type Statement } from "./engine.ts";
import { exceptionOf } from "./error-status.ts";

/** Parameters of the HTTP interface, which are not settings of the engine. */
const OF_THE_INTERFACE = new Set([
  "query",
  "query_id",
  "database",
  "default_format",
  "enable_http_compression",
  "http_zlib_compression_level",
  "send_progress_in_http_headers",
  "http_headers_progress_interval_ms",
  "wait_end_of_query",
  "buffer_size",
]);
/** ClickHouse's default, because bound values are in the URL. */
const URL_BYTES_MAX = 1024 * 1024;
const NOT_DONE = ["session_id", "role", "compress", "decompress"];
const JSON_FORMATS = /json/i;

export type ServedEngine = { port: number; close: () => Promise<void> };

export async function serveEngine(options: { path: string; port: number }): Promise<ServedEngine> {
  const engine = openEngine(options.path);
  const server = createServer({ maxHeaderSize: URL_BYTES_MAX }, (request, response) => {
    answer(engine, request, response).catch((error: Error) => refuse(response, error));
  });
  await listen(server, options.port);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the engine does not listen on a port");
  return {
    port: address.port,
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      await engine.close();
    },
  };
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });

async function answer(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://engine");
  if (url.pathname === "/ping" || url.pathname === "/replicas_status") {
    response.end("Ok.\n");
    return;
  }
  const body = await readBody(request);
  const statement = statementOf(url.searchParams, body);
  const result = await engine.run(statement);
  response.setHeader("X-ClickHouse-Query-Id", url.searchParams.get("query_id") ?? randomUUID());
  response.setHeader("X-ClickHouse-Format", statement.format);
  response.setHeader("X-ClickHouse-Timezone", "UTC");
  response.setHeader(
    "Content-Type",
    JSON_FORMATS.test(statement.format) ? "application/json; charset=UTF-8" : "text/plain; charset=UTF-8",
  );
  const mayCompress = url.searchParams.get("enable_http_compression") === "1";
  if (mayCompress && /\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) {
    response.setHeader("Content-Encoding", "gzip");
    response.end(await promisify(gzip)(result));
  } else {
    response.end(result);
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  return request.headers["content-encoding"] === "gzip" ? promisify(gunzip)(body) : body;
}

/** With a query in the URL, the body is its data; otherwise the body is the query. */
function statementOf(given: URLSearchParams, body: Buffer): Statement {
  const notDone = NOT_DONE.find((name) => given.has(name));
  if (notDone !== undefined) throw notImplemented(`${notDone} is not supported by the development engine`);
  const inUrl = given.get("query");
  const text = inUrl ?? body.toString("utf8");
  const values = new Map(
    [...given].filter(([name]) => name.startsWith("param_")).map(([name, value]) => [name.slice(6), value]),
  );
  const settings = new Map([...given].filter(([name]) => !OF_THE_INTERFACE.has(name) && !name.startsWith("param_")));
  for (const name of settings.keys())
    if (!/^\w+$/.test(name)) throw notImplemented(`${name} is not the name of a setting`);
  return {
    sql: bindParameters(text, values),
    format: /\bformat\s+(\w+)\s*;?\s*$/i.exec(text)?.[1] ?? given.get("default_format") ?? "TabSeparated",
    database: given.get("database") ?? "default",
    settings,
    rows: inUrl === null ? null : body,
  };
}

const notImplemented = (message: string): Error => new Error(`Code: 48. DB::Exception: ${message}. (NOT_IMPLEMENTED)`);

function refuse(response: ServerResponse, error: Error): void {
  const { code, status } = exceptionOf(error.message);
  response.statusCode = status;
  response.setHeader("X-ClickHouse-Exception-Code", String(code));
  response.setHeader("Content-Type", "text/plain; charset=UTF-8");
  response.end(`${error.message}\n`);
}
