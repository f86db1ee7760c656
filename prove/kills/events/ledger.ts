/**
 * The client's own log: every request before it is sent, every answer before it counts. What the store must hold is computed from
 * this and from nothing else. A line is a single write, so it outlives whatever ends the client.
 */
import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import type { Plan } from "./plan.ts";

/** A request as planned, or the one after it with the same keys and another body. */
export type Form = "planned" | "changed";

export type Answer = {
  status: number;
  /** Of an acknowledgement the `svc_id` of each event, of a conflict the code CONFLICT. */
  words: readonly string[];
};

export type Ledger = {
  readonly counts: Readonly<Record<CountName, number>>;
  /** The id that an event was first acknowledged with. */
  idOf: (event: number) => string | undefined;
  isSettled: (request: number, form: Form) => boolean;
  /** Of requests, with what follows them. */
  settled: () => number;
  sent: (request: number, form: Form) => void;
  answered: (request: number, form: Form, answer: Answer) => void;
  close: () => void;
};

type CountName =
  | "attempts"
  | "eventsSent"
  | "answers"
  | "answers429"
  | "answers500"
  | "answers503"
  | "eventsAcknowledged"
  | "conflictsRefused"
  | "acknowledgedUnderOtherId"
  | "conflictsNotRefused"
  | "refusedWithoutReason";

const MARKS = { planned: "p", changed: "c" } as const;

export const CONFLICT = "value_already_exist";

export const isFinal = (status: number): boolean => status < 500 && status !== 429;

export function openLedger(file: string, plan: Plan): Ledger {
  const entries = createEntries(plan);
  for (const line of readWholeLines(file)) entries.add(line);
  const log = openSync(file, "a");
  const write = (line: string): void => {
    writeSync(log, `${line}\n`);
    entries.add(line);
  };
  return {
    counts: entries.counts,
    idOf: (event) => entries.ids[event],
    isSettled: entries.isSettled,
    settled: () => entries.settled.done,
    sent: (request, form) => write(`> ${request} ${MARKS[form]}`),
    answered: (request, form, { status, words }) => write(`< ${request} ${MARKS[form]} ${status} ${words.join(" ")}`),
    close: () => closeSync(log),
  };
}

/** Without the last line where it is not whole: then its writer was killed in it. */
function readWholeLines(file: string): string[] {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf("\n") + 1;
  truncateSync(file, end);
  return bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
}

function createEntries(plan: Plan) {
  const counts: Record<CountName, number> = {
    attempts: 0,
    eventsSent: 0,
    answers: 0,
    answers429: 0,
    answers500: 0,
    answers503: 0,
    eventsAcknowledged: 0,
    conflictsRefused: 0,
    acknowledgedUnderOtherId: 0,
    conflictsNotRefused: 0,
    refusedWithoutReason: 0,
  };
  const ids = new Array<string | undefined>(plan.events).fill(undefined);
  const isDone = { p: new Uint8Array(plan.requests), c: new Uint8Array(plan.requests) };
  const settled = { done: 0 };

  function acknowledge(request: number, answered: readonly string[]): void {
    const events = plan.eventsOf(request);
    counts.eventsAcknowledged += events.length;
    for (const [index, event] of events.entries()) {
      ids[event] ??= answered[index] ?? "none";
      if (ids[event] !== answered[index]) counts.acknowledgedUnderOtherId++;
    }
  }

  function settle(request: number, mark: "p" | "c", status: number, answered: readonly string[]): void {
    isDone[mark][request] = 1;
    if (mark === "c" || !plan.hasConflict(request)) settled.done++;
    const isRefused = status === 422 && answered[0] === CONFLICT;
    if (mark === "c") counts[isRefused ? "conflictsRefused" : "conflictsNotRefused"]++;
    else if (status === 200) acknowledge(request, answered);
    else counts.refusedWithoutReason++;
  }

  function add(line: string): void {
    const [direction, number, mark, status, ...answered] = line.split(" ");
    const request = Number(number);
    if (mark !== "p" && mark !== "c") throw new Error(`the log holds a line that no client wrote: ${line}`);
    if (direction === ">") {
      counts.attempts++;
      counts.eventsSent += plan.eventsOf(request).length;
      return;
    }
    counts.answers++;
    if (status === "429" || status === "500" || status === "503") counts[`answers${status}`]++;
    if (isFinal(Number(status))) settle(request, mark, Number(status), answered.filter(Boolean));
  }

  const isSettled = (request: number, form: Form): boolean => isDone[MARKS[form]][request] === 1;
  return { counts, ids, settled, isSettled, add };
}
