/** A process that records usage with the client gets SIGKILL in full flow: what it knows to be recorded is stored, once. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Tallystick } from "@tallystick/client";
import { makeOrganization } from "../../../packages/server/src/main/make-organization.ts";
import { runOn } from "../../../packages/server/src/platform/postgres/temporary-database.ts";
import type { Campaign, CampaignOptions, Outcome } from "../../campaign.ts";
import { forkProgram, oneFileOf } from "../../one-file.ts";
import { chooseSeed } from "../../progress.ts";
import { createRandom } from "../../random.ts";
import { withService } from "../../served-api.ts";
import type { RecorderTask } from "./recorder.ts";

const RECORDS_PER_KILL = 10_000;
const SUBSCRIPTION = "killed";
const LOOK_EVERY_MS = 2;

export const clientKills: Campaign = {
  summary: "SIGKILLs of a process that records usage with the client and its spool: recorded = stored, none twice",
  counts: "kills",
  countByDefault: 3,
  inWords: ({ kills = 0, resolved = 0, stored = 0, recordsPerSecond = 0 }) =>
    `${kills} kills while ${resolved} calls of \`record\` resolved, ${recordsPerSecond} a second: ${stored} events are stored. ` +
    "A kill can leave one event that was written, and whose call had not resolved.",
  run: (options) => runClientKills(options),
};

type Options = CampaignOptions & { recordsPerKill?: number };

export async function runClientKills(options: Options): Promise<Outcome> {
  const begun = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "tallystick-client-kills-"));
  try {
    return await withService({ isSilent: true }, async (service) => {
      const organization = { name: "Client kills", isSandbox: true, keyName: "campaign" };
      const { key } = await makeOrganization(service.platform, organization);
      const url = await service.listen();
      const seed = chooseSeed(options.seed);
      const found = await runRecorders({ url, key, folder, seed }, options);
      const [version] = await runOn<{ server_version: string }>(service.url, "show server_version");
      return {
        seed,
        seconds: Math.round((performance.now() - begun) / 1000),
        ...(version ? { postgres: version.server_version } : {}),
        ...found,
      };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Stage = { url: string; key: string; folder: string; seed: number };

async function runRecorders(stage: Stage, options: Options): Promise<Pick<Outcome, "broken" | "figures">> {
  const { count, isNaive, say, signal, recordsPerKill = RECORDS_PER_KILL } = options;
  const { folder, url, key } = stage;
  const [spool, log] = [join(folder, "spool"), join(folder, "resolved.log")];
  const program = await oneFileOf(join(import.meta.dirname, "recorder.ts"));
  const random = createRandom(stage.seed);
  const start = (run: number, last: number | undefined): ChildProcess => {
    const task: RecorderTask = {
      url,
      key,
      log,
      run,
      last,
      subscription: SUBSCRIPTION,
      spool: isNaive ? undefined : spool,
    };
    return forkProgram(program, [JSON.stringify(task)]);
  };
  const figures = { kills: 0, killsWithUnsent: 0, unsentAtKills: 0, recordsPerSecond: 0 };
  const begun = performance.now();
  for (let run = 1; run <= count; run++) {
    const child = start(run, undefined);
    try {
      await hasRecorded(log, run * recordsPerKill, child, signal);
      await pause(random() * 50, undefined, { signal });
    } finally {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    const unsent = linesIn(spool);
    figures.kills++;
    figures.killsWithUnsent += unsent > 0 ? 1 : 0;
    figures.unsentAtKills += unsent;
    say(`${run} of ${count} kills; ${unsent} events were unsent`);
  }
  const seconds = (performance.now() - begun) / 1000;
  figures.recordsPerSecond = Math.round(readIds(log).length / seconds);
  await ends(start(count + 1, 10), signal);
  const stored = await readStored(stage);
  return { ...compare(readIds(log), stored, { figures, folder: spool }) };
}

/** Resolves when so many calls have resolved, by the log. */
async function hasRecorded(log: string, lines: number, child: ChildProcess, signal: AbortSignal): Promise<void> {
  const bytes = lines * "1-00000000\n".length;
  while (!existsSync(log) || statSync(log).size < bytes) {
    if (child.exitCode !== null) throw new Error(`the recorder ended by itself (${child.exitCode})`);
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function ends(child: ChildProcess, signal: AbortSignal): Promise<void> {
  try {
    const [code] = await once(child, "exit", { signal });
    if (code !== 0) throw new Error(`the last recorder ended with ${code}`);
  } finally {
    child.kill("SIGKILL");
  }
}

const readIds = (log: string): string[] => readFileSync(log, "utf8").trimEnd().split("\n");

const linesIn = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .reduce((sum, name) => sum + readFileSync(join(folder, name), "utf8").split("\n").length - 1, 0)
    : 0;

const readStored = async ({ url, key }: Stage): Promise<string[]> => {
  const events = new Tallystick({ url, key }).events.list({ external_subscription_id: SUBSCRIPTION, limit: 1000 });
  return Array.fromAsync(events, ({ transaction_id }) => transaction_id);
};

type Found = { figures: { kills: number } & Record<string, number>; folder: string };

function compare(resolved: string[], stored: string[], { figures, folder }: Found) {
  const [known, there] = [new Set(resolved), new Set(stored)];
  const unresolved = [...there].filter((id) => !known.has(id));
  const filesLeft = existsSync(folder) ? readdirSync(folder).length : 0;
  return {
    broken: {
      lost: [...known].filter((id) => !there.has(id)).length,
      storedTwice: stored.length - there.size,
      // Of each process, one may be written whose call had not resolved.
      storedUnknown: Math.max(0, unresolved.length - new Set(unresolved.map((id) => id.split("-")[0])).size),
      filesLeft,
    },
    figures: { ...figures, resolved: known.size, stored: stored.length, storedUnresolved: unresolved.length },
  };
}
