/** Where a campaign keeps its progress: in the data folder, or in a temporary one that goes with the run. */
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CampaignOptions } from "../campaign.ts";

export async function withFolder<T>(
  { dataFolder, signal }: Pick<CampaignOptions, "dataFolder" | "signal">,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = dataFolder ?? (await mkdtemp(join(tmpdir(), "tallystick-prove-")));
  await mkdir(folder, { recursive: true });
  // Postgres may run as another user, who has to enter it.
  await chmod(folder, 0o755);
  try {
    return await use(folder);
  } catch (error) {
    // What failed because the campaign was stopped is not worth reading.
    signal.throwIfAborted();
    throw error;
  } finally {
    if (dataFolder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}
