/** The engine as a process that is killed and started again on what it has on its disk, at the same address; and a slow way to it. */
import {
  type SpawnedEngine,
  spawnClickhouseEngine,
} from "../../../packages/server/src/testing/spawn-clickhouse-engine.ts";
import { type StoreProxy, startProxy } from "../proxy.ts";

export type KillableEngine = {
  /** With its database. */
  url: string;
  killAndRestart: () => Promise<void>;
  stop: () => Promise<void>;
};

export async function startKillableEngine(data: string): Promise<KillableEngine> {
  let engine: SpawnedEngine = await spawnClickhouseEngine({ data });
  const { port } = new URL(engine.url);
  return {
    url: new URL("/tallystick", engine.url).toString(),
    killAndRestart: async () => {
      await engine.kill();
      engine = await spawnClickhouseEngine({ data, port: Number(port) });
    },
    stop: () => engine.stop(),
  };
}

const LATER_MS = 120;

/** Answers come a moment later: then rows are stored and the relay does not know it, which is when kills tell the most. */
export const startSlowProxy = (engineUrl: string): Promise<StoreProxy> =>
  startProxy(
    () => new URL(engineUrl),
    (client, engine) => {
      client.pipe(engine);
      engine.on("data", (chunk) => setTimeout(() => client.write(chunk), LATER_MS));
      engine.on("close", () => setTimeout(() => client.destroy(), LATER_MS));
    },
  );
