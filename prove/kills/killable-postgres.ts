/** A cluster of the campaign's own, with everything that makes it durable, whose server can be killed and started again. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";

/** The processes of the killed server notice it one by one; until the last has gone, a new one refuses to start. */
const STARTED_WITHIN_MS = 60_000;
const TRY_EVERY_MS = 50;

export type KillablePostgres = {
  url: () => string;
  /** SIGKILL to the server's first process. Resolves with the new URL when a new server has recovered what was committed. */
  killAndRestart: () => Promise<string>;
  stop: () => Promise<void>;
};

export async function startKillablePostgres(dataFolder: string): Promise<KillablePostgres> {
  let server = await startEmbeddedPostgres({ dataFolder });

  return {
    url: () => server.url,
    killAndRestart: async () => {
      await killServer(dataFolder);
      // It is dead already: this only makes its starter forget it.
      await server.stop();
      server = await startAgain(dataFolder);
      return server.url;
    },
    stop: () => server.stop(),
  };
}

/** SIGKILL to the first process of the server in a folder; those that it started end when they notice it. */
export async function killServer(dataFolder: string): Promise<void> {
  process.kill(await readProcessId(dataFolder), "SIGKILL");
}

/** The first line of the file that a server keeps in its data folder. */
async function readProcessId(dataFolder: string): Promise<number> {
  const text = await readFile(join(dataFolder, "data", "postmaster.pid"), "utf8");
  const id = Number(text.split("\n")[0]);
  if (!Number.isInteger(id) || id <= 1) throw new Error("the server has no process id");
  return id;
}

async function startAgain(dataFolder: string): Promise<EmbeddedPostgres> {
  const begun = performance.now();
  for (;;) {
    try {
      return await startEmbeddedPostgres({ dataFolder });
    } catch (error) {
      if (performance.now() - begun > STARTED_WITHIN_MS) throw error;
      await pause(TRY_EVERY_MS);
    }
  }
}
