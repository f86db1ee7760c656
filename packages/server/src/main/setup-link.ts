/** The link by which the first person becomes an owner. It works for 24 hours and once. */
import { issueLink, linkUrl } from "../modules/accounts/index.ts";
import type { Platform } from "./compose.ts";
import { publicUrlOf } from "./config.ts";

export async function makeSetupLink(
  { dispatcherDb, clock, config }: Pick<Platform, "dispatcherDb" | "clock" | "config">,
  organizationId: string,
): Promise<string> {
  const link = await issueLink(dispatcherDb, { kind: "setup", organizationId }, clock.now());
  return linkUrl(publicUrlOf(config), "setup", link);
}
