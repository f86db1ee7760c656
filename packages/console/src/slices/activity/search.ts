/** What the address of the activity says. */
import type { Activity } from "@tallystick/client";

export const ACTORS = ["person", "key", "command", "service"] as const satisfies readonly Activity["actor"]["kind"][];
export type ActivitySearch = {
  by?: (typeof ACTORS)[number] | undefined;
  /** The id of the object that was changed. */
  object?: string | undefined;
};

export function parseActivitySearch({ by, object }: Record<string, unknown>): ActivitySearch {
  const known = ACTORS.find((actor) => actor === by);
  return { ...(known ? { by: known } : {}), ...(typeof object === "string" && object ? { object } : {}) };
}
