/** `tallystick listen`: messages of the service, sent to an address that the service cannot reach. */
import { createHmac, randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Message, TallystickError } from "@tallystick/client";
import { type Command, Option } from "commander";
import { systemNow } from "../clock.ts";
import type { Context, Io } from "../io.ts";
import { type Listening, readListening, saveListening } from "../listen-state.ts";
import { UsageError } from "../outcome.ts";
import { DEFAULT_PROFILE } from "../profiles.ts";
import { type Api, type ApiOptions, addApiCommand } from "./api-command.ts";

type Options = ApiOptions & { forward: string; from?: "latest" | "oldest"; newSecret?: boolean; follow: boolean };

const POLL_EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 30_000;

export function addListen(program: Command, context: Context): void {
  addApiCommand<Options>(
    program
      .command("listen")
      .description("Send webhook messages to a local address, signed as the service signs them")
      .requiredOption("--forward <url>", "where to send them, for example http://localhost:4000/webhooks")
      .addOption(
        new Option("--from <place>", "latest: only new ones; oldest: all that are left").choices(["latest", "oldest"]),
      )
      .option("--new-secret", "make and print another secret")
      .option("--no-follow", "end when nothing is left")
      .addHelpText("after", NOTES),
    context,
    (api, options) => listen(context.io, api, options),
  );
}

const NOTES = `
The first time, only new messages are sent, and the secret for signatures is printed. Later, it goes on where it ended, with the same secret.
A message is sent once, whatever the answer is. The headers are webhook-id, webhook-timestamp and webhook-signature, as in Standard Webhooks.`;

async function listen(io: Io, { tally, profile, print }: Api, options: Options): Promise<void> {
  const { forward, from, follow } = options;
  if (!/^https?:\/\/[^\s/]/.test(forward))
    throw new UsageError("--forward takes an address such as http://localhost:4000/webhooks");
  const stopped = new AbortController();
  io.onStop(() => stopped.abort());
  const name = nameOf(io, options, profile);
  const state = openState(io, name, options);
  let after = from === "oldest" ? undefined : from === "latest" ? "latest" : (state.cursor ?? "latest");
  const keep = (cursor: string): void => {
    after = cursor;
    saveListening(io, name, { ...state, cursor });
  };
  io.err(`Messages go to ${forward}.`);
  while (!stopped.signal.aborted) {
    const { items, meta } = await readOn(tally, after);
    for (const message of items) {
      if (stopped.signal.aborted) return;
      const sent = await send(message, { forward, secret: state.secret });
      print(sent, inALine(sent));
    }
    keep(meta.next_cursor);
    if (meta.has_more) continue;
    if (!follow) return;
    await pause(POLL_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
  }
}

const GONE = 410;

async function readOn(tally: Api["tally"], after: string | undefined) {
  try {
    return await tally.messages.list(after === undefined ? {} : { after });
  } catch (error) {
    if (!(error instanceof TallystickError) || error.status !== GONE) throw error;
    throw new Error(
      "Messages after the place where listen ended were deleted, because they are older than the service keeps them. Go on with " +
        "--from latest (only new ones) or --from oldest (all that are left).",
    );
  }
}

/** A place belongs to a service and an organization. */
function nameOf({ env }: Io, { profile }: Options, { url, key }: Api["profile"]): string {
  const isFromEnvironment = profile === undefined && Boolean(env.TALLYSTICK_URL || env.TALLYSTICK_API_KEY);
  // The second part of a key names it, and is no secret.
  return isFromEnvironment ? `${url} ${key.split("_")[1]}` : (profile ?? DEFAULT_PROFILE);
}

function openState(io: Io, name: string, { newSecret = false }: Options): Listening {
  const kept = readListening(io, name);
  if (kept && !newSecret) return kept;
  const state = { ...kept, secret: `whsec_${randomBytes(24).toString("base64")}` };
  saveListening(io, name, state);
  io.err(`Secret for signatures, shown once: ${state.secret}`);
  return state;
}

type Sent = { svc_id: string; webhook_type: string; status: number | null; milliseconds: number; error: string | null };

async function send(message: Message, { forward, secret }: { forward: string; secret: string }): Promise<Sent> {
  const { svc_id, webhook_type, payload } = message;
  const begun = performance.now();
  const since = () => Math.round(performance.now() - begun);
  try {
    const { status, body } = await fetch(forward, {
      method: "POST",
      headers: signedHeaders(svc_id, payload, secret),
      body: payload,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await body?.cancel();
    return { svc_id, webhook_type, status, milliseconds: since(), error: null };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { svc_id, webhook_type, status: null, milliseconds: since(), error: String(cause) };
  }
}

function signedHeaders(id: string, payload: string, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(systemNow() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${payload}`).digest("base64");
  return {
    "content-type": "application/json",
    "user-agent": "Tallystick",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}

const inALine = ({ svc_id, webhook_type, status, milliseconds, error }: Sent): string =>
  `${status ?? "---"}  ${webhook_type}  ${svc_id}  ${error ?? `${milliseconds} ms`}`;
