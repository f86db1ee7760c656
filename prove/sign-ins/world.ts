/** The service as `npm start` runs it, with people who can sign in, and an organization whose requests must stay fast. */
import { composePlatform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { createPasswords, insertUser } from "../../packages/server/src/modules/accounts/index.ts";
import { newId } from "../../packages/server/src/platform/new-id.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import { startService } from "../neighbors/world.ts";
import type { Stops } from "../with-stops.ts";

export const RIGHT_PASSWORD = "the one that nobody guesses";

export type Sizes = { accounts: number; addresses: number };
export type Stage = { origin: string; key: string; emails: readonly string[]; addresses: readonly string[] };

export async function openStage(onStop: Stops, sizes: Sizes, limits: { [name: string]: string }): Promise<Stage> {
  const cluster = await startEmbeddedPostgres();
  onStop.push(cluster.stop);
  await migrate(cluster.url);
  const platform = composePlatform(readConfig({ DATABASE_URL: cluster.url, LOG_LEVEL: "silent" }));
  const { key } = await makeOrganization(platform, { name: "Victim", isSandbox: true, keyName: "it" });
  const emails = Array.from({ length: sizes.accounts }, (_, index) => `person-${index}@example.com`);
  const password_hash = await createPasswords().hash(RIGHT_PASSWORD);
  await platform.dispatcherDb.transaction().execute(async (tx) => {
    const created_at = platform.clock.now();
    for (const email of emails) await insertUser(tx, { id: newId(), email, name: "Person", password_hash, created_at });
  });
  await platform.close();
  const proxy = { TRUSTED_PROXIES: "127.0.0.1", RATE_LIMIT_OTHER: "0" };
  const origin = await startService({ ...proxy, ...limits, DATABASE_URL: cluster.url }, onStop);
  const addresses = Array.from({ length: sizes.addresses }, (_, index) => `203.0.${index >> 8}.${index & 255}`);
  return { origin, key, emails, addresses };
}
