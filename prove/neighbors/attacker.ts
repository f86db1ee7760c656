/** A thread of its own, so that what it sends does not delay the measurement of the victim. */
import { parentPort, workerData } from "node:worker_threads";
import { ATTACKS, type World } from "./attacks.ts";
import { sendAtRate } from "./load.ts";

export type AttackOrder = { origin: string; name: string; world: World; seconds: number };
export type AttackReport = { statuses: [status: number, count: number][]; lost: number };

const { origin, name, world, seconds } = workerData as AttackOrder;
const attack = ATTACKS.find((one) => one.name === name);
if (!attack) throw new Error(`there is no attack ${name}`);
const { statuses, lost } = await sendAtRate(
  origin,
  attack.perSecond,
  (number) => attack.request(world, number),
  AbortSignal.timeout(seconds * 1000),
);
parentPort?.postMessage({ statuses: [...statuses], lost } satisfies AttackReport);
