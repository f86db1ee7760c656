/** What ClickHouse must hold: exactly the planned events, whatever was killed. */
import { reconcile } from "../../../packages/server/src/modules/usage/index.ts";
import type { Copied } from "./cells.ts";
import { planSums, type Sums } from "./planned-events.ts";

type Checking = Copied & { seed: number; chunks: number; say: (line: string) => void };

type Row = { organization_id: string; code: string; count: string; positions: string; digest: string; amount: string };

/** `lost` and `doubled` in events; the others in sums that differ. */
export async function check(checking: Checking): Promise<Record<"lost" | "doubled" | "wrong" | "differences", number>> {
  const { clickhouse, seed, chunks, organizationIds, say } = checking;
  const rows = await clickhouse.query<Row>(
    `select organization_id, code, count() as count, uniqExact(shard, position) as positions, toString(sum(digest)) as digest,
       toString(sum(toDecimal256(properties['amount'], 2)) * 100) as amount
     from events group by organization_id, code`,
  );
  const found = new Map(
    rows.map((row) => [`${organizationIds.indexOf(row.organization_id)} ${row.code}`, { ...row, ...toSums(row) }]),
  );
  const broken = { lost: 0, doubled: 0, wrong: 0 };
  for (const [key, planned] of planSums(seed, chunks)) {
    const has = found.get(key);
    found.delete(key);
    broken.lost += Math.max(0, Number(planned.count) - Number(has?.positions ?? 0));
    broken.doubled += has ? Number(has.count) - Number(has.positions) : 0;
    if (has && has.count === String(planned.count) && (has.digest !== planned.digest || has.amount !== planned.amount))
      broken.wrong++;
  }
  broken.wrong += found.size;
  const { differences } = await reconcile(checking, ({ organizationId, code, hour, ...sums }) =>
    say(`${organizationId} ${code} ${hour}: Postgres ${sums.postgres.count}, ClickHouse ${sums.clickhouse.count}`),
  );
  return { ...broken, differences: differences.length };
}

const toSums = ({ digest, amount }: Row): Pick<Sums, "digest" | "amount"> => ({
  digest: BigInt(digest),
  amount: BigInt(amount.replace(/\.0+$/, "")),
});
