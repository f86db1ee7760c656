/** The client: sends every request of the plan until it is answered for good, to whichever API process is there. It is never killed. */
import { once } from "node:events";
import { Agent, type IncomingMessage, request as sendRequest } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { allOrNone } from "../all-or-none.ts";
import { createRandomFor } from "../random.ts";
import { type Answer, CONFLICT, type Form, isFinal, type Ledger } from "./ledger.ts";
import type { Pace } from "./pace.ts";
import type { Plan } from "./plan.ts";
import { changeEvent, eventOf, writeEvent } from "./sent-events.ts";

const AT_ONCE = 16;
/** Less than the service asks for: the more is in flight at the next kill, the better. */
const AGAIN_AFTER_MS = 100;
const ANSWERED_WITHIN_MS = 30_000;
/** Through a kill of everything and the recovery after it, but not forever. */
const SETTLED_WITHIN_MS = 180_000;

export type ClientDeps = {
  plan: Plan;
  ledger: Ledger;
  pace: Pace;
  /** API processes that listen; changes all the time. */
  addresses: () => readonly string[];
  /** How many requests wait for an answer from an address. */
  inFlight: Map<string, number>;
  key: string;
};

export async function sendAll(deps: ClientDeps, signal: AbortSignal): Promise<void> {
  const { plan, ledger, pace } = deps;
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const keepSending = async (stop: AbortSignal): Promise<void> => {
    while (next < plan.requests) {
      const request = next++;
      const forms: Form[] = plan.hasConflict(request) ? ["planned", "changed"] : ["planned"];
      const open = forms.filter((form) => !ledger.isSettled(request, form));
      if (open.length === 0) continue;
      await pace.begin(stop);
      // The changed one after the acknowledgement of what it changes: only then it must be refused.
      for (const form of open) await settle({ ...deps, agent }, request, form, stop);
    }
  };
  try {
    await allOrNone(signal, Array<typeof keepSending>(AT_ONCE).fill(keepSending));
  } finally {
    agent.destroy();
  }
}

type Sending = ClientDeps & { agent: Agent };

async function settle(deps: Sending, request: number, form: Form, signal: AbortSignal): Promise<void> {
  const { plan, ledger, addresses } = deps;
  const input = writeRequest(plan, request, form);
  const begun = performance.now();
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    const there = addresses();
    const address = there[(request + attempt) % Math.max(1, there.length)];
    if (address !== undefined) {
      ledger.sent(request, form);
      const answer = await post(deps, address, input, signal);
      if (answer) ledger.answered(request, form, answer);
      if (answer && isFinal(answer.status)) return;
    }
    if (performance.now() - begun > SETTLED_WITHIN_MS) throw new Error(`request ${request} is not answered for good`);
    await pause(AGAIN_AFTER_MS, undefined, { signal });
  }
}

type Request = { path: string; body: string; headers: Record<string, string> };

/** The same to the byte, however often it is sent. */
function writeRequest(plan: Plan, request: number, form: Form): Request {
  const random = createRandomFor(plan.seed + 3, request);
  const numbers = plan.eventsOf(request);
  const changed = Math.floor(random() * numbers.length);
  const events = Array.from(numbers, (number, index) => {
    const event = eventOf(plan.seed, number);
    return writeEvent(form === "changed" && index === changed ? changeEvent(event, random) : event, random);
  });
  const isSingle = events.length === 1;
  const hasKey = form === "planned" && plan.isKeyed(request);
  return {
    path: isSingle ? "/api/v1/events" : "/api/v1/events/batch",
    body: isSingle ? `{"event":${events}}` : `{"events":[${events}]}`,
    headers: hasKey ? { "idempotency-key": `request-${request}` } : {},
  };
}

/** Undefined: no answer came. */
async function post(
  { key, inFlight, agent }: Sending,
  address: string,
  { path, body, headers }: Request,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  inFlight.set(address, (inFlight.get(address) ?? 0) + 1);
  try {
    const sent = sendRequest(address + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      agent,
      signal,
      timeout: ANSWERED_WITHIN_MS,
    });
    sent.on("error", () => undefined);
    sent.once("timeout", () => sent.destroy());
    sent.end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const status = answer.statusCode ?? 0;
    return { status, words: wordsOf(status, await text(answer)) };
  } catch {
    return undefined;
  } finally {
    inFlight.set(address, (inFlight.get(address) ?? 0) - 1);
  }
}

/** The ids in the order of the events; no property of ours is called like that. */
function wordsOf(status: number, answer: string): string[] {
  if (status !== 200) return answer.includes(CONFLICT) ? [CONFLICT] : [];
  return Array.from(answer.matchAll(/"svc_id":"([^"]+)"/g), ([, id]) => id ?? "");
}
