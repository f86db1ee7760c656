import type { Clickhouse } from "./clickhouse.ts";
import { ClickhouseUnsupported } from "./errors.ts";

const OLDEST = [25, 8] as const;

/** In words, with its fix; undefined if the version is supported. ClickHouse is released monthly, so there is no newest. */
export function faultOfClickhouse(version: string): string | undefined {
  const [year = 0, month = 0] = version.split(".").map(Number);
  const isSupported = year > OLDEST[0] || (year === OLDEST[0] && month >= OLDEST[1]);
  return isSupported ? undefined : `ClickHouse ${version} is older than ${OLDEST.join(".")}: upgrade it`;
}

export async function refuseUnsupportedClickhouse(clickhouse: Clickhouse): Promise<void> {
  const [row] = await clickhouse.query<{ version: string }>("select version() as version");
  const fault = faultOfClickhouse(row?.version ?? "");
  if (fault) throw new ClickhouseUnsupported(fault);
}
