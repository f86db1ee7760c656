/** `npm run prove -- <campaign>`: runs a campaign, on a database cluster of its own where it needs one, records and prints what it found. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeRun } from "../scripts/describe-run.ts";
import { isBroken } from "./campaign.ts";
import { CAMPAIGNS } from "./campaigns.ts";
import { continueRecord } from "./in-parts.ts";

const ROOT = join(import.meta.dirname, "..");
const RESULTS = join(ROOT, ".data/prove");

const USAGE = `npm run prove -- <campaign> [--count N] [--naive] [--fresh | --continue] [--seed N] [--life N]

${[...CAMPAIGNS].map(([name, { summary, counts, countByDefault }]) => `  ${name.padEnd(18)} ${summary} (${countByDefault} ${counts})`).join("\n")}

  --count N   how many; a campaign that was stopped goes on from where it was
  --naive     against a variant that is wrong on purpose: succeeds only if something is found broken
  --fresh     forgets what an earlier run did
  --continue  of a campaign in parts: adds parts to its record in evidence/, on whichever machine that was made
  --seed N    makes the same random choices again; needs --fresh
  --life N    of lives: only this one of the seed

Exit code: 0 as it should be, 1 an invariant was broken (with --naive: none was), 2 it did not come to an end.`;

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    return await prove();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
}

async function prove(): Promise<number> {
  const request = readArguments();
  const campaign = request && CAMPAIGNS.get(request.name);
  if (!request || !campaign) {
    console.error(USAGE);
    return 2;
  }
  const { isNaive, seed } = request;
  const count = request.count ?? campaign.countByDefault;
  const label = isNaive ? `${request.name}-naive` : request.name;
  const dataFolder = join(RESULTS, label);
  if (request.isFresh || request.isContinued) await rm(dataFolder, { recursive: true, force: true });
  if (request.isContinued)
    await continueRecord(dataFolder, JSON.parse(await readFile(join(ROOT, "evidence", `${label}.json`), "utf8")));
  const outcome = await campaign.run({
    count,
    seed,
    isNaive,
    dataFolder,
    signal: abortOnSignal(),
    say: (line) => console.error(line),
    ...(request.life === undefined ? {} : { life: request.life }),
  });
  const hasPassed = isBroken(outcome) === isNaive;
  const result = {
    campaign: label,
    hasPassed,
    options: { count, isNaive },
    ...outcome,
    ...describeRun({ tz: process.versions.tz, postgres: outcome.postgres }),
  };
  const json = JSON.stringify(result, null, 2);
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${label}.json`), `${json}\n`);
  console.log(json);
  console.error(`${label}: ${hasPassed ? "passed" : "FAILED"}${isNaive ? " (the harness must find faults here)" : ""}`);
  return hasPassed ? 0 : 1;
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: "string" },
      seed: { type: "string" },
      life: { type: "string" },
      naive: { type: "boolean", default: false },
      fresh: { type: "boolean", default: false },
      continue: { type: "boolean", default: false },
    },
  });
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) return undefined;
  return {
    name,
    count: wholeNumber("--count", values.count),
    seed: wholeNumber("--seed", values.seed),
    life: wholeNumber("--life", values.life),
    isNaive: values.naive,
    isFresh: values.fresh,
    isContinued: values.continue,
  };
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${option} takes a whole number from 1 on`);
  return text === undefined ? undefined : Number(text);
}

function abortOnSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) {
    process.on(name, () => stop.abort(new Error("Stopped. The same command goes on from here; --fresh starts over.")));
  }
  return stop.signal;
}
