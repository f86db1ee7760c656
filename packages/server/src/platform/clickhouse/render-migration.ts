/**
 * One source of a migration for both kinds of installation. On a cluster, each table is a replicated `NAME_local` on each shard, under one
 * distributed `NAME`. So every other statement uses the same name on both.
 */

/** How many tokens a table remembers. An insert uses one for each month of its rows. */
const REMEMBERED_TOKENS = 100_000;

/** All rows of a subscription are on one shard, so its usage is read from one shard, and a large organization is spread over all. */
const SHARDING_KEY = "cityHash64(organization_id, external_subscription_id)";

/** The statements of a migration, in order. */
export function renderMigration(source: string, cluster: string | null): string[] {
  const rendered = source
    .replace(/^--.*\n/gm, "")
    .replace(/\{(\w+)(?::(\w+))?\}/g, (mark, word: string, name: string) => {
      const write = (cluster === null ? ON_ONE : onCluster(cluster))[word];
      if (write === undefined) throw new Error(`${mark} is not a mark of a migration`);
      return write(name);
    });
  return rendered
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

type Marks = Readonly<Record<string, (name: string) => string>>;

const ON_ONE: Marks = {
  local: (name) => name,
  cluster: () => "",
  engine: (name) => name,
  tokens: () => `non_replicated_deduplication_window = ${REMEMBERED_TOKENS}`,
  distributed: () => "",
};

/** The replication path is the server's default, with the table's UUID, so a rebuilt table has no old replicas. */
const onCluster = (cluster: string): Marks => ({
  local: (name) => `${name}_local`,
  cluster: () => `on cluster '${cluster}'`,
  engine: (name) => `Replicated${name}`,
  tokens: () =>
    `replicated_deduplication_window = ${REMEMBERED_TOKENS}, replicated_deduplication_window_seconds = ${7 * 86_400}`,
  distributed: (name) =>
    `create table if not exists ${name} on cluster '${cluster}' as ${name}_local
engine = Distributed('${cluster}', currentDatabase(), ${name}_local, ${SHARDING_KEY})`,
});
