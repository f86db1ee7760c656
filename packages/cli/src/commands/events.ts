/** `tallystick events …`: send, import and follow usage. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Event } from "@tallystick/client";
import type { Command } from "commander";
import type { Context, Io } from "../io.ts";
import { UsageError } from "../outcome.ts";
import { type Api, type ApiOptions, addApiCommand, collect, toJson } from "./api-command.ts";
import { importEvents } from "./import-events.ts";

export function addEvents(program: Command, context: Context): void {
  const events = program.command("events").description("Send, import and follow usage");
  addSend(events, context);
  addImport(events, context);
  addTail(events, context);
}

type SendOptions = ApiOptions & {
  subscription: string;
  code: string;
  property?: string[];
  transactionId?: string;
  timestamp?: string;
};

function addSend(events: Command, context: Context): void {
  addApiCommand<SendOptions>(
    events
      .command("send")
      .description("Send one usage event. A repeat with the same transaction id counts once")
      .requiredOption("--subscription <id>", "external id of the subscription")
      .requiredOption("--code <code>", "code of the billable metric")
      .option("--property <name=value>", "a property; can be given several times", collect)
      .option("--transaction-id <id>", "identifies the event forever (default: a new one)")
      .option("--timestamp <instant>", "Unix seconds, or ISO 8601 with an offset (default: now)"),
    context,
    async ({ tally, print }, { subscription, code, property = [], transactionId, timestamp }) => {
      const event = await tally.events.send({
        transaction_id: transactionId ?? randomUUID(),
        external_subscription_id: subscription,
        code,
        ...(timestamp === undefined ? {} : { timestamp }),
        properties: Object.fromEntries(property.map(readProperty)),
      });
      print(event, `${event.outcome}: ${event.transaction_id}`);
    },
  );
}

/** A value is sent as text, so that no digit of a number is lost. */
function readProperty(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`--property takes name=value, and not "${text}".`);
  return [text.slice(0, at), text.slice(at + 1)];
}

type ImportOptions = ApiOptions & { format?: string; rejected?: string };

function addImport(events: Command, context: Context): void {
  addApiCommand<ImportOptions>(
    events
      .command("import")
      .description("Send the events of a file. Run it again after an interruption: what was sent counts once")
      .argument("<file>", "JSON lines or CSV; - for stdin")
      .option("--format <format>", "jsonl or csv (default: by the name of the file)")
      .option("--rejected <file>", "write the lines that are refused here")
      .addHelpText("after", IMPORT_NOTES),
    context,
    (api, options, file) => importEvents({ api, ...context }, { file, ...options }),
  );
}

const IMPORT_NOTES = `
A line has the members of an event: transaction_id, external_subscription_id, code, timestamp, properties.
In CSV, the first line names them; each other column is a property, and an empty cell is none.
A line without transaction_id gets one from its number and text, so that a repeat of the same file counts once.`;

type TailOptions = ApiOptions & { lines: string; follow: boolean; subscription?: string; code?: string };

const POLL_EVERY_MS = 1_000;
const LINES_MAX = 1_000;

function addTail(events: Command, context: Context): void {
  addApiCommand<TailOptions>(
    events
      .command("tail")
      .description("Show the latest events, and new ones as they come")
      .option("--lines <number>", "how many events to begin with", "10")
      .option("--no-follow", "end after them")
      .option("--subscription <id>", "only of this subscription, by external id")
      .option("--code <code>", "only of this billable metric"),
    context,
    (api, options) => tail(context.io, api, options),
  );
}

/** The list is by timestamp: an event that is dated before the latest 1,000 is not seen. */
async function tail(io: Io, { tally }: Api, { lines, follow, subscription, code, json }: TailOptions): Promise<void> {
  if (!/^\d{1,3}$/.test(lines)) throw new UsageError("--lines takes a number from 0 to 999.");
  const stopped = new AbortController();
  io.onStop(() => stopped.abort());
  const filter = {
    ...(subscription === undefined ? {} : { external_subscription_id: subscription }),
    ...(code === undefined ? {} : { code }),
  };
  const read = async (per_page: number): Promise<Event[]> =>
    (await tally.events.list({ ...filter, per_page })).items.toReversed();
  const show = (event: Event): void => io.out(json ? toJson(event) : inALine(event));
  const seen = new Set<string>();
  const latest = await read(LINES_MAX);
  for (const { svc_id } of latest) seen.add(svc_id);
  for (const event of Number(lines) === 0 ? [] : latest.slice(-Number(lines))) show(event);
  while (follow && !stopped.signal.aborted) {
    await pause(POLL_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    if (stopped.signal.aborted) return;
    for (const event of await read(LINES_MAX)) {
      if (seen.has(event.svc_id)) continue;
      seen.add(event.svc_id);
      show(event);
    }
  }
}

const inALine = ({ timestamp, code, external_subscription_id, transaction_id, properties }: Event): string =>
  [timestamp, code, external_subscription_id, transaction_id, toJson(properties)].join("  ");
