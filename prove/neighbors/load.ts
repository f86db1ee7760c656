/** Requests at a fixed rate, whatever the answers take, from connections that are kept. */
import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { AttackRequest } from "./attacks.ts";

export type Answers = { ms: number[]; statuses: Map<number, number>; lost: number };

/** So many may wait for their answers; the next are skipped, as a client with so many connections would. */
const UNDER_WAY_MAX = 64;
const TICK_MS = 10;
const ANSWERED_WITHIN_MS = 5_000;

/** Until `signal`. A request that is lost counts as the longest time. */
export async function sendAtRate(
  origin: string,
  perSecond: number,
  next: (number: number) => AttackRequest,
  signal: AbortSignal,
): Promise<Answers> {
  const agent = new Agent({ keepAlive: true, maxSockets: UNDER_WAY_MAX });
  const answers: Answers = { ms: [], statuses: new Map(), lost: 0 };
  const underWay = new Set<Promise<unknown>>();
  const begun = performance.now();
  let sent = 0;
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - begun) / 1000) * perSecond);
    for (; sent < due; sent++) {
      if (underWay.size >= UNDER_WAY_MAX) continue;
      const one = ask(origin, agent, next(sent), answers).finally(() => underWay.delete(one));
      underWay.add(one);
    }
    await wait(TICK_MS);
  }
  // What is not answered by then is given up, as clients do.
  await Promise.race([Promise.all(underWay), wait(ANSWERED_WITHIN_MS)]);
  agent.destroy();
  await Promise.all(underWay);
  return answers;
}

async function ask(origin: string, agent: Agent, wanted: AttackRequest, answers: Answers): Promise<number> {
  const at = performance.now();
  const { method, path, key, body, headers = {} } = wanted;
  const all: Record<string, string> = { ...headers };
  if (key !== undefined) all.authorization = `Bearer ${key}`;
  if (body !== undefined)
    Object.assign(all, { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) });
  const status = await new Promise<number>((resolve) => {
    const sent = request(origin + path, { agent, method, headers: all }, (answer) => {
      answer.resume();
      answer.once("close", () => resolve(answer.statusCode ?? 0));
    });
    sent.once("error", () => resolve(0));
    sent.end(body);
  });
  answers.ms.push(performance.now() - at);
  answers.statuses.set(status, (answers.statuses.get(status) ?? 0) + 1);
  if (status === 0) answers.lost++;
  return status;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
