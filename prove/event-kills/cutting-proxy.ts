/** Stands between the service and Postgres. Cuts a connection when events are committed and the service does not know it yet. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { watchCommits } from "./wire.ts";

export type CuttingProxy = {
  /** Of the database, through the proxy. */
  url: string;
  /** Where the database is from now on. */
  leadTo: (url: string) => void;
  /** The next connection on which events are committed is cut before the reply to it passes. Resolves when that has happened. */
  cutNext: (signal: AbortSignal) => Promise<void>;
  stop: () => Promise<void>;
};

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  let target = new URL(databaseUrl);
  let onCut: (() => void) | undefined;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    const watch = watchCommits();
    // While a cut is due, nothing of the reply to a commit may pass before all of it is here.
    let held: Buffer[] = [];
    client.setNoDelay(true);
    client.on("data", (piece: Buffer) => {
      watch.fromClient(piece);
      pass(piece, client, database);
    });
    database.on("data", (piece: Buffer) => {
      const mayBeCut = onCut !== undefined && watch.isCommitting();
      const isCommitted = watch.fromServer(piece);
      if (mayBeCut && isCommitted && onCut) {
        onCut();
        onCut = undefined;
        client.destroy();
        return;
      }
      held.push(piece);
      if (onCut !== undefined && watch.isCommitting()) return;
      pass(Buffer.concat(held), database, client);
      held = [];
    });
    tieTogether(client, database, open);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.toString(),
    leadTo: (next) => {
      target = new URL(next);
    },
    cutNext: (signal) =>
      new Promise((resolve, reject) => {
        onCut = resolve;
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Who sends faster than the other takes has to wait. */
function pass(piece: Buffer, from: Socket, to: Socket): void {
  if (to.write(piece)) return;
  from.pause();
  to.once("drain", () => from.resume());
}

/** The end of one is the end of the other. */
function tieTogether(client: Socket, database: Socket, open: Set<Socket>): void {
  for (const [one, other] of [
    [client, database],
    [database, client],
  ] as const) {
    open.add(one);
    one.on("error", () => undefined);
    one.on("close", () => {
      open.delete(one);
      other.destroy();
    });
  }
}
