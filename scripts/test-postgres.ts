/**
 * `npm run test:postgres -- 15`: all server tests on the oldest Postgres that we support; other arguments go to vitest, such as the path of
 * a test. `-- 15 --named`: only the list that CI runs. Without a version, `npm test` runs them on the newest.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { childEnvironment } from "../packages/server/src/main/config.ts";
import { startEmbeddedPostgres } from "../packages/server/src/platform/postgres/embedded.ts";
import { FAST } from "../packages/server/src/platform/postgres/temporary-database.ts";
import { POSTGRES_OLDEST } from "../packages/server/src/platform/postgres/versions.ts";

/** Where versions differ: schema, privileges, plans, types, arithmetic of instants, and every statement of the checks. */
const NAMED = [
  "platform/postgres/exact-types",
  "platform/postgres/migrate",
  "platform/postgres/prepared-statements",
  "platform/postgres/tenancy",
  "jobs/queue",
  "http/idempotency",
  "modules/usage/clickhouse/relay/repeats",
  "verify/verify",
].map((path) => `packages/server/src/${path}.test.ts`);

const { values, positionals } = parseArgs({
  options: { named: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [version, ...files] = positionals;
if (version !== String(POSTGRES_OLDEST))
  throw new Error(`name the version: npm run test:postgres -- ${POSTGRES_OLDEST}`);

const server = await startEmbeddedPostgres({ settings: FAST, packages: `postgres-${version}-` });
const tests = spawn("vitest", ["run", "--project", "server", ...(values.named ? NAMED : files)], {
  stdio: "inherit",
  env: childEnvironment({ DATABASE_URL: server.url }),
});
process.on("SIGINT", () => tests.kill("SIGINT"));
process.on("SIGTERM", () => tests.kill("SIGTERM"));
process.exitCode = await new Promise<number>((resolve) => tests.once("close", (code) => resolve(code ?? 1)));
await server.stop();
