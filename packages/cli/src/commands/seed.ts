/** `tallystick seed`: sample data for a sandbox organization. */
import { setTimeout as pause } from "node:timers/promises";
import type { SampleData } from "@tallystick/client";
import type { Command } from "commander";
import type { Context, Io } from "../io.ts";
import { type Api, type ApiOptions, addApiCommand } from "./api-command.ts";

type Options = ApiOptions & { remove?: boolean };

const LOOK_AGAIN_MS = 500;

export function addSeed(program: Command, context: Context): void {
  addApiCommand<Options>(
    program
      .command("seed")
      .description("Fill a sandbox organization with sample data: 12 customers, and half a year of usage and invoices")
      .option("--remove", "delete the sample customers and catalog; finalized invoices stay")
      .addHelpText("after", "\nCtrl+C ends the command, and not the work. Run it again to follow it."),
    context,
    (api, options) => seed(context, api, options),
  );
}

async function seed({ io, outcome }: Context, { tally, print }: Api, { remove = false }: Options): Promise<void> {
  const requested = remove ? await tally.sampleData.remove() : await tally.sampleData.make();
  const done = await follow(io, requested, () => tally.sampleData.get());
  print(done, inWords(done));
  if (done.status === "failed") outcome.code = 1;
}

/** Says each percent once. */
async function follow(io: Io, requested: SampleData, read: () => Promise<SampleData>): Promise<SampleData> {
  let [data, said] = [requested, -1];
  const stopped = new AbortController();
  io.onStop(() => stopped.abort());
  while ((data.status === "making" || data.status === "removing") && !stopped.signal.aborted) {
    if (data.progress !== said) io.err(`${data.status}: ${data.progress} %, ${data.invoices} invoices`);
    said = data.progress;
    await pause(LOOK_AGAIN_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    data = await read();
  }
  return data;
}

function inWords({ status, progress, customers, invoices, error }: SampleData): string {
  if (status === "ready") return `The organization has sample data: ${customers} customers, ${invoices} invoices.`;
  if (status === "none") return "The organization has no sample data.";
  if (status === "failed") return `The sample data failed at ${progress} %: ${error}`;
  return `The work goes on, at ${progress} %.`;
}
