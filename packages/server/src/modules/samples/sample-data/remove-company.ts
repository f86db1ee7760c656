/** Deletes what the sample company consists of, whatever of it exists. */
import { CATALOG } from "./company.ts";
import { awaitClock } from "./move-clock.ts";
import type { Run } from "./run.ts";

export async function removeCompany({ call, row, note }: Run): Promise<void> {
  // The clock is made first and forgotten last: without it, nothing here is ours.
  if (row.test_clock_id === null) return;
  const path = `/test_clocks/${row.test_clock_id}`;
  // An attempt that was interrupted may have left it advancing.
  if (await call("POST", `${path}/cancel`, undefined, ["test_clock_not_found"])) {
    await awaitClock(call, row.test_clock_id, note);
    await call("DELETE", path);
  }
  for (const { resource, path: list, code } of CATALOG)
    await call("DELETE", `/${list}/${code}`, undefined, [`${resource}_not_found`]);
}
