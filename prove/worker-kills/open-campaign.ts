/** What campaigns of kills begin with: a cluster of their own, and the state of the one that was stopped there. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import type { CampaignOptions, Outcome } from "../campaign.ts";
import { chooseSeed, demandSameSeed } from "../progress.ts";
import type { Records } from "./work.ts";

/** `schemas`: files in the campaign's folder, with what it writes down beside the service's own tables. */
export async function withCluster(
  options: CampaignOptions,
  { folder, schemas }: { folder: string; schemas: readonly string[] },
  run: (url: string) => Promise<Outcome>,
): Promise<Outcome> {
  const { dataFolder, signal } = options;
  const cluster = await startEmbeddedPostgres(dataFolder === undefined ? {} : { dataFolder });
  try {
    await migrate(cluster.url);
    for (const file of schemas) await runOn(cluster.url, await readFile(join(folder, file), "utf8"));
    return await run(cluster.url);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await cluster.stop();
  }
}

export type KeyedCampaign = { organizationId: string; key: string; seed: number; killsDone: number };

/** The state of the campaign that was stopped here, or of a new one. */
export async function openCampaign(
  records: Records,
  seed: number | undefined,
  make: () => Promise<{ id: string; key: string }>,
): Promise<KeyedCampaign> {
  const { rows } = await records.query(
    `select organization_id as "organizationId", api_key as key, seed,
       (select count(*) from prove.kills)::integer as "killsDone"
     from prove.campaign`,
  );
  const [stopped] = rows as KeyedCampaign[];
  if (stopped) {
    demandSameSeed(seed, stopped.seed);
    return stopped;
  }
  const { id, key } = await make();
  const chosen = chooseSeed(seed);
  await records.query("insert into prove.campaign (organization_id, api_key, seed) values ($1, $2, $3)", [
    id,
    key,
    chosen,
  ]);
  return { organizationId: id, key, seed: chosen, killsDone: 0 };
}
