/** `npm run generate` writes every file that is generated from code; with `-- --check` it only lists outdated files. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { composeApi, composePlatform } from "../packages/server/src/main/compose.ts";
import { givenDatabaseUrl, readConfig } from "../packages/server/src/main/config.ts";
import { createTemporaryDatabase } from "../packages/server/src/platform/postgres/temporary-database.ts";
import { describeCli } from "./generate/cli.ts";
import { describeClient } from "./generate/client.ts";
import { describeConfig, exampleEnvironment } from "./generate/config.ts";
import { describeDatabase } from "./generate/database.ts";
import { describeDeprecatedMembers } from "./generate/deprecated-members.ts";
import { describeErrors } from "./generate/errors.ts";
import { describeEvidence } from "./generate/evidence.ts";
import { recordExamples } from "./generate/examples.ts";
import { describeOpenApi } from "./generate/openapi.ts";
import { describePermissions } from "./generate/permissions.ts";
import { tableTypes } from "./generate/table-types.ts";
import { describeWebhooks } from "./generate/webhooks.ts";

const ROOT = join(import.meta.dirname, "..");

const { check } = parseArgs({ options: { check: { type: "boolean", default: false } } }).values;
const stale = Object.entries(await generate()).filter(([path, text]) => readOrEmpty(path) !== text);

if (check && stale.length > 0) {
  console.error(`These files differ from the code; run "npm run generate" and commit the result:`);
  for (const [path] of stale) console.error(`  ${path}`);
  process.exitCode = 1;
} else if (stale.length === 0) {
  console.log("Everything generated is up to date.");
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
    console.log(`wrote ${path}`);
  }
}

/** The text of each generated file, by path. */
async function generate(): Promise<Record<string, string>> {
  const database = await createTemporaryDatabase(givenDatabaseUrl());
  try {
    const platform = composePlatform(readConfig({ DATABASE_URL: database.url, LOG_LEVEL: "silent" }));
    const app = await composeApi(platform);
    try {
      await app.ready();
      // First, because it does all work that waits in the database.
      const webhooks = await describeWebhooks(database.url);
      const examples = await recordExamples(app, database.url);
      const openapi = describeOpenApi(app, examples);
      return {
        ...describeClient(openapi),
        "packages/server/src/main/api-examples.json": `${JSON.stringify(examples, null, 2)}\n`,
        "packages/server/src/platform/postgres/schema.ts": await tableTypes(database.url),
        "docs/reference/openapi.json": openapi,
        "docs/reference/config.md": describeConfig(),
        ".env.example": exampleEnvironment(),
        "docs/reference/cli.md": describeCli(),
        "docs/reference/errors.md": describeErrors(),
        "docs/reference/permissions.md": describePermissions(app),
        "docs/reference/database.md": await describeDatabase(database.url),
        "docs/reference/deprecated-members.md": describeDeprecatedMembers(),
        "docs/evidence.md": describeEvidence(),
        "docs/reference/webhooks.md": webhooks,
      };
    } finally {
      await app.close();
      await platform.close();
    }
  } finally {
    await database.remove();
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(join(ROOT, path), "utf8");
  } catch {
    return "";
  }
}
