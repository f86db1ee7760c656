/** Stands between the service and Postgres. Drops a connection when events are committed and the service does not know it yet. */
import type { Socket } from "node:net";
import { type StoreProxy, startProxy } from "../proxy.ts";
import { watchCommits } from "./wire.ts";

export type CuttingProxy = StoreProxy & {
  /** Where the database is from now on. */
  leadTo: (url: string) => void;
  /** The next connection on which events are committed is dropped before the reply to it passes. Resolves when that has happened. */
  cutNext: (signal: AbortSignal) => Promise<void>;
};

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  let target = new URL(databaseUrl);
  let onCut: (() => void) | undefined;
  const watch = (client: Socket, database: Socket): void => {
    const commits = watchCommits();
    // While a drop is due, nothing of the reply to a commit may pass before all of it is here.
    let kept: Buffer[] = [];
    client.on("data", (piece: Buffer) => {
      commits.fromClient(piece);
      pass(piece, client, database);
    });
    database.on("data", (piece: Buffer) => {
      const mayBeCut = onCut !== undefined && commits.isCommitting();
      const isCommitted = commits.fromServer(piece);
      if (mayBeCut && isCommitted && onCut) {
        onCut();
        onCut = undefined;
        client.destroy();
        return;
      }
      kept.push(piece);
      if (onCut !== undefined && commits.isCommitting()) return;
      pass(Buffer.concat(kept), database, client);
      kept = [];
    });
    database.on("close", () => client.destroy());
  };
  return {
    ...(await startProxy(() => target, watch)),
    leadTo: (next) => {
      target = new URL(next);
    },
    cutNext: (signal) =>
      new Promise((resolve, reject) => {
        onCut = resolve;
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  };
}

/** Who sends faster than the other takes has to wait. */
function pass(piece: Buffer, from: Socket, to: Socket): void {
  if (to.write(piece)) return;
  from.pause();
  to.once("drain", () => from.resume());
}
