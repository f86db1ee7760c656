/** Processor time, which other load affects less than elapsed time. Linux only; undefined elsewhere. */
import { readdirSync, readFileSync } from "node:fs";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";

const TICKS_PER_SECOND = 100;

/** Seconds used so far by a process and its children. */
export function cpuSecondsOf(processId: number): number | undefined {
  try {
    return (
      (ticksOf(processId, true) + childrenOf(processId).reduce((sum, id) => sum + ticksOf(id, false), 0)) /
      TICKS_PER_SECOND
    );
  } catch {
    return undefined;
  }
}

const parentOf = (processId: number): number => Number(statOf(processId)[1]);

function childrenOf(processId: number): number[] {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((id) => {
    try {
      return parentOf(id) === processId;
    } catch {
      // The process has ended since.
      return false;
    }
  });
}

/** User and system time; on request also of ended children. */
function ticksOf(processId: number, withEnded: boolean): number {
  try {
    const [, , , , , , , , , , , user, system, endedUser, endedSystem] = statOf(processId).map(Number);
    return (user ?? 0) + (system ?? 0) + (withEnded ? (endedUser ?? 0) + (endedSystem ?? 0) : 0);
  } catch {
    return 0;
  }
}

/** From the third field on: the second is a name in brackets, which can contain anything. */
function statOf(processId: number): string[] {
  const text = readFileSync(`/proc/${processId}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** The process id of the database server. */
export async function findPostmaster(databaseUrl: string): Promise<number> {
  const [row] = await runOn<{ id: string }>(
    databaseUrl,
    "select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as id",
  );
  return Number(row?.id);
}
