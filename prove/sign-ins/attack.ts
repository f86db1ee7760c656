/** Guesses passwords at a fixed rate, and keeps when those that were not refused were sent and answered. */
import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Stage } from "./world.ts";

/** An attempt that was not refused: some time between these two, its password was compared. */
export type Passed = { email: string; address: string; sentAt: number; answeredAt: number };
export type Attacked = { passed: Passed[]; statuses: Map<number, number> };

const LANES = 32;

export async function attack(
  stage: Stage,
  {
    attempts,
    perSecond,
    random,
    signal,
  }: { attempts: number; perSecond: number; random: () => number; signal: AbortSignal },
): Promise<Attacked> {
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  const found: Attacked = { passed: [], statuses: new Map() };
  const begun = performance.now();
  let sent = 0;
  const lane = async (): Promise<void> => {
    for (let number = sent++; number < attempts; number = sent++) {
      signal.throwIfAborted();
      await wait(Math.max(0, begun + (1000 * number) / perSecond - performance.now()));
      const [email, address] = [choose(stage.emails, random), choose(stage.addresses, random)];
      const sentAt = performance.now();
      const { status } = await signIn(stage, { email, address, password: `guess ${number} of many`, agent });
      found.statuses.set(status, (found.statuses.get(status) ?? 0) + 1);
      if (status === 401 || status === 200)
        found.passed.push({ email, address, sentAt, answeredAt: performance.now() });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  agent.destroy();
  return found;
}

/** Half of the attempts are for few accounts from few addresses, so that both limits are met. */
const choose = (all: readonly string[], random: () => number): string =>
  all[Math.floor(random() * (random() < 0.5 ? Math.ceil(all.length / 20) : all.length))] ?? "";

type Try = { email: string; address: string; password: string; agent?: Agent };

export function signIn({ origin }: Stage, { email, address, password, agent }: Try): Promise<{ status: number }> {
  const body = JSON.stringify({ email, password });
  const headers = {
    ...{ "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    ...{ "sec-fetch-site": "same-origin", "x-forwarded-for": address },
  };
  return new Promise((resolve) => {
    const sent = request(`${origin}/session`, { agent, method: "POST", headers }, (answer) => {
      answer.resume();
      answer.once("close", () => resolve({ status: answer.statusCode ?? 0 }));
    });
    sent.once("error", () => resolve({ status: 0 }));
    sent.end(body);
  });
}

const MINUTE_MS = 60_000;

/** How often more than `max` attempts of one email or address were certainly within a minute. */
export function countExcess(passed: readonly Passed[], of: "email" | "address", max: number): number {
  const groups = Map.groupBy(passed, (one) => one[of]).values();
  return [...groups].reduce((excess, group) => {
    const inOrder = group.toSorted((one, other) => one.sentAt - other.sentAt);
    const over = inOrder.filter((first, index) => {
      const within = inOrder.slice(index, index + max + 1);
      return within.length > max && Math.max(...within.map(({ answeredAt }) => answeredAt)) - first.sentAt < MINUTE_MS;
    });
    return excess + over.length;
  }, 0);
}
