/** In development, the console comes from its sources: a change is in the page at once, and the service reloads behind it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { pagesInDevelopment } from "../platform/assets.ts";
import { freePort } from "../platform/free-port.ts";
import type { OnStop } from "./run-until-stopped.ts";

/** Listens at the port that people know. Returns the port that the service takes behind it. */
export async function startPages(port: number, onStop: OnStop): Promise<number> {
  const program = pagesInDevelopment();
  if (program === undefined) return port;
  const servicePort = await freePort();
  const service = `http://127.0.0.1:${servicePort}`;
  const server = spawn(process.execPath, [program, "--port", String(port), "--service", service], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "exit");
  onStop(async () => {
    server.kill("SIGTERM");
    await ended;
  });
  await Promise.race([once(server.stdout, "data"), ended]);
  return servicePort;
}
