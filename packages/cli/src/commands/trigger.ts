/** `tallystick trigger`: provokes a webhook message in a sandbox organization. */
import { setTimeout as pause } from "node:timers/promises";
import type { Message } from "@tallystick/client";
import { Argument, type Command } from "commander";
import { systemNow } from "../clock.ts";
import type { Context, Io } from "../io.ts";
import { type Must, PROVOKED, playScenes } from "../trigger/scenes.ts";
import { type Api, type ApiOptions, addApiCommand } from "./api-command.ts";

type Options = ApiOptions & { within: string };

const SETTLE_MS = 500;
const LOOK_AGAIN_MS = 500;

export function addTrigger(program: Command, context: Context): void {
  addApiCommand<Options>(
    program
      .command("trigger")
      .description("Provoke a webhook message in a sandbox organization, through the API")
      .addArgument(new Argument("<type>", "the type of the message").choices(Object.keys(PROVOKED).sort()))
      .option("--within <seconds>", "how long to wait until it is published", "60")
      .addHelpText(
        "after",
        "\nEach run makes customers and prices of its own, and other messages beside the one that is requested.",
      ),
    context,
    (api, options, type) => trigger(context.io, api, { ...options, type }),
  );
}

async function trigger(io: Io, api: Api, { type, within }: Options & { type: string }): Promise<void> {
  const provoked = PROVOKED[type];
  if (!provoked) throw new Error(`No scene provokes ${type}.`);
  if (provoked.scene === null) throw new Error(`${type} cannot be triggered. ${provoked.why}`);
  const { meta } = await api.tally.messages.list({ after: "latest" });
  const mark = Math.floor(systemNow()).toString(36);
  io.err(`Playing what leads to ${type}, with names that end in ${mark} …`);
  const settle = async () => void (await pause(SETTLE_MS));
  await playScenes({ must: mustOf(api), settle, name: (base) => `${base}-${mark}` }, [provoked.scene]);
  if (provoked.later !== undefined) return api.print({ type, later: provoked.later }, provoked.later);
  const message = await awaitMessage(api, type, { after: meta.next_cursor, within: Number(within) });
  if (!message) throw new Error(`${type} was not published within ${within} s. Does a worker run?`);
  const { svc_id, webhook_type, created_at, payload } = message;
  api.print(
    { svc_id, webhook_type, created_at, payload: JSON.parse(payload) },
    `${webhook_type} ${svc_id} was published.`,
  );
}

type Waiting = { after: string; within: number };

async function awaitMessage({ tally }: Api, type: string, { after, within }: Waiting): Promise<Message | undefined> {
  const giveUpAt = performance.now() + within * 1000;
  let cursor = after;
  for (;;) {
    const { items, meta } = await tally.messages.list({ after: cursor });
    const found = items.find(({ webhook_type }) => webhook_type === type);
    if (found || performance.now() > giveUpAt) return found;
    cursor = meta.next_cursor;
    if (!meta.has_more) await pause(LOOK_AGAIN_MS);
  }
}

/** The client has a method for each operation; the scenes name them by their paths. */
const mustOf =
  ({ profile: { url, key } }: Api): Must =>
  async (method, path, body) => {
    const answer = await fetch(`${url.replace(/\/$/, "")}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    const { message = text } = readJson(text);
    throw new Error(`${method} ${path} was refused with ${answer.status}: ${message}`);
  };

function readJson(text: string): { message?: string } {
  try {
    return JSON.parse(text) as { message?: string };
  } catch {
    return {};
  }
}
