/** The state of the relay, as text for operators. */
import type { Database } from "../../../../platform/postgres/database.ts";
import { type LaneRow, listLanes } from "./store.ts";

export type RelayStatus = {
  readonly lanes: readonly string[];
  /** The lines of queues whose open batch cannot be sent, or whose rows are duplicated. */
  readonly failing: readonly string[];
  readonly accepted: bigint;
  readonly relayed: bigint;
};

export async function relayStatus({ dispatcherDb }: { dispatcherDb: Database }): Promise<RelayStatus> {
  const lanes = await listLanes(dispatcherDb);
  return {
    lanes: lanes.map(describe),
    failing: lanes.filter((lane) => lane.last_error !== null).map(describe),
    accepted: lanes.reduce((sum, { accepted }) => sum + accepted, 0n),
    relayed: lanes.reduce((sum, { relayed }) => sum + relayed, 0n),
  };
}

function describe(lane: LaneRow): string {
  const batch = lane.is_open
    ? `batch ${lane.number} open, stage ${lane.stage}, sent ${lane.sends} times`
    : `batches: ${lane.number}`;
  const parts = [
    `queue ${lane.lane}`,
    `organizations: ${lane.organizations}`,
    `behind: ${lane.accepted - lane.relayed}`,
    batch,
    ...(lane.rebuilding_since ? [`being rebuilt since ${lane.rebuilding_since}`] : []),
    ...(lane.last_error ? [`failed ${lane.failures} times: ${lane.last_error}`] : []),
  ];
  return parts.join("  ");
}
