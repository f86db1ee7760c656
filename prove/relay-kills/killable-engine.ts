/** The engine as a process that is killed and started again on what it has on its disk, at the same address. */
import {
  type SpawnedEngine,
  spawnClickhouseEngine,
} from "../../packages/server/src/testing/spawn-clickhouse-engine.ts";

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
