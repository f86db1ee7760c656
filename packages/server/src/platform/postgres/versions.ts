/** The Postgres that this release is tested on. `npm run test:postgres` runs the server's tests on the oldest. */
import type { ClientBase } from "pg";

export const POSTGRES_OLDEST = 15;
const POSTGRES_NEWEST = 18;

/** In words, with its fix; undefined if the version is supported. `number` is Postgres's `server_version_num`. */
export function faultOfPostgres(number: number): string | undefined {
  const major = Math.floor(number / 10_000);
  if (major < POSTGRES_OLDEST) return `Postgres ${major} is older than ${POSTGRES_OLDEST}: upgrade it`;
  if (major > POSTGRES_NEWEST)
    return `Postgres ${major} is newer than ${POSTGRES_NEWEST}, the newest that this release is tested on: upgrade Tallystick first`;
  return undefined;
}

/** Before anything is written: a migration that fails half-way through says nothing of its reason. */
export async function refuseUnsupportedPostgres(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ number: number }>(
    "select current_setting('server_version_num')::int as number",
  );
  const fault = faultOfPostgres(rows[0]?.number ?? 0);
  if (fault) throw new Error(fault);
}
