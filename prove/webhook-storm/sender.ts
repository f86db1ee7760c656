/** The worker that sends, in a process of its own, and what it takes. */
import { fork } from "node:child_process";
import { once } from "node:events";
import type { SendingTask, Use } from "../webhook-kills/sending-task.ts";
import { READY } from "../worker-kills/worker-task.ts";

export type Sender = {
  /** As often as it told. */
  use: Use[];
  /** Throws when it ended by itself. */
  assertAlive: () => void;
  end: () => Promise<void>;
};

export async function startSender(file: string, task: SendingTask): Promise<Sender> {
  const child = fork(file, [JSON.stringify(task)], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const use: Use[] = [];
  const assertAlive = (): void => {
    const end = child.signalCode ?? child.exitCode;
    if (end !== null) throw new Error(`the worker ended by itself (${end})`);
  };
  await new Promise<void>((resolve, reject) => {
    child.on("message", (message: typeof READY | Use) => {
      if (message === READY) resolve();
      else use.push(message as Use);
    });
    child.once("exit", () => reject(new Error("the worker ended before it was ready")));
    child.once("error", reject);
  });
  return {
    use,
    assertAlive,
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
