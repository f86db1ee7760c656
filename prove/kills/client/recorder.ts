/** Records usage with the client, one event after the other, and writes down each that resolved. It is killed while it does so. */
import { openSync, writeSync } from "node:fs";
import { Tallystick } from "@tallystick/client";
import { openSpool } from "@tallystick/client/spool";

export type RecorderTask = {
  url: string;
  key: string;
  /** undefined: usage is in memory only, which must lose events. */
  spool: string | undefined;
  log: string;
  run: number;
  subscription: string;
  /** Sends what is left and this many, and ends. undefined: records until it is killed. */
  last: number | undefined;
};

const task: RecorderTask = JSON.parse(process.argv[2] ?? "");
// It must not outlive the campaign.
const endWithParent = (): never => process.exit(1);
process.on("disconnect", endWithParent);

const tally = new Tallystick({ url: task.url, key: task.key });
const usage = tally.usage({
  // So that a kill strikes while events are written, and not while they wait.
  pendingMax: 1_000_000,
  ...(task.spool === undefined ? {} : { spool: openSpool(task.spool) }),
  onRejected: (event) => {
    throw new Error(`${event.transaction_id} was rejected`);
  },
});
const log = openSync(task.log, "a");
for (let number = 0; number < (task.last ?? Number.POSITIVE_INFINITY); number++) {
  const transaction_id = `${task.run}-${String(number).padStart(8, "0")}`;
  await usage.record({ transaction_id, external_subscription_id: task.subscription, code: "calls" });
  writeSync(log, `${transaction_id}\n`);
}
await usage.close();
process.off("disconnect", endWithParent);
process.disconnect?.();
