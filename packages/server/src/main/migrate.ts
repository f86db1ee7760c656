/** `npm run migrate`: brings the database of DATABASE_URL to the newest schema. */
import { migrate } from "../platform/postgres/migrate.ts";
import { readConfig } from "./config.ts";
import { runCommand } from "./run-until-stopped.ts";

await runCommand(async () => {
  const applied = await migrate(readConfig().DATABASE_URL);
  console.log(applied.length === 0 ? "The database is up to date." : `Applied: ${applied.join(", ")}`);
});
