/** Reads events from a file, line by line, with every digit of their numbers. */
import { createInterface } from "node:readline";
import type { EventCreate } from "@tallystick/client";
import { UsageError } from "../outcome.ts";

export type Line = {
  /** From 1 on. */
  number: number;
  text: string;
  event: Partial<EventCreate>;
  /** Why it is no event. */
  fault?: string;
};

/** V8 passes the text of a value; TypeScript does not know it yet. */
type ExactJson = {
  parse: (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;
  rawJSON: (text: string) => unknown;
};
const exact = JSON as unknown as ExactJson;

/** Numbers stay the text that they are. */
const parseDigits = (text: string): unknown =>
  exact.parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== undefined ? exact.rawJSON(source) : value,
  );

async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<{ number: number; text: string }> {
  let number = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    yield { number, text };
  }
}

export async function* readJsonLines(input: NodeJS.ReadableStream): AsyncGenerator<Line> {
  for await (const { number, text } of linesOf(input)) if (text.trim() !== "") yield readJsonLine(number, text);
}

function readJsonLine(number: number, text: string): Line {
  try {
    const event = parseDigits(text);
    if (typeof event === "object" && event !== null && !Array.isArray(event)) return { number, text, event };
    return { number, text, event: {}, fault: "not an object" };
  } catch {
    return { number, text, event: {}, fault: "not JSON" };
  }
}

const MEMBERS = ["transaction_id", "external_subscription_id", "code", "timestamp"] as const;

/** RFC 4180. The first line names the columns. */
export async function* readCsv(input: NodeJS.ReadableStream): AsyncGenerator<Line> {
  let names: string[] | undefined;
  let begun: { number: number; text: string } | undefined;
  for await (const { number, text } of linesOf(input)) {
    // A cell in quotes may hold line ends.
    const record = begun ? { number: begun.number, text: `${begun.text}\n${text}` } : { number, text };
    begun = hasOpenQuote(record.text) ? record : undefined;
    if (begun || record.text.trim() === "") continue;
    const cells = cellsOf(record.text);
    if (names) yield readRecord(record, names, cells);
    else names = checkNames(cells);
  }
  if (begun) yield { ...begun, event: {}, fault: "a quote is not closed" };
}

function checkNames(cells: string[]): string[] {
  const names = cells.map((cell, index) => (index === 0 ? cell.replace(/^\uFEFF/, "") : cell).trim());
  for (const name of ["external_subscription_id", "code"])
    if (!names.includes(name)) throw new UsageError(`The first line of the CSV names the columns: ${name} is missing.`);
  return names;
}

function readRecord(line: { number: number; text: string }, names: readonly string[], cells: readonly string[]): Line {
  if (cells.length !== names.length)
    return { ...line, event: {}, fault: `${cells.length} cells instead of ${names.length}` };
  const filled = names.flatMap((name, index) => (cells[index] ? [[name, cells[index]] as const] : []));
  const isMember = ([name]: readonly [string, string]) => (MEMBERS as readonly string[]).includes(name);
  const properties = Object.fromEntries(filled.filter((cell) => !isMember(cell)));
  return { ...line, event: { ...Object.fromEntries(filled.filter(isMember)), properties } };
}

const hasOpenQuote = (text: string): boolean => (text.match(/"/g)?.length ?? 0) % 2 === 1;

const cellsOf = (text: string): string[] =>
  Array.from(text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain = ""]) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  );
