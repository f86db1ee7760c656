/** Runs a command as the terminal does, in this process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll } from "vitest";
import type { Io } from "../io.ts";
import { run } from "../program.ts";

export type Ran = { code: number | undefined; out: string; err: string };
export type Given = { env?: Record<string, string>; stdin?: string; onStop?: Io["onStop"]; onOut?: Io["out"] };
export type Cli = (args: readonly string[], given?: Given) => Promise<Ran>;

/** A folder for the files of a test, and commands that keep their profiles in it. */
export function openCli(): { cli: Cli; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "tallystick-cli-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const cli: Cli = async (args, { env = {}, stdin = "", onStop = () => undefined, onOut } = {}) => {
    const lines = { out: [] as string[], err: [] as string[] };
    const io: Io = {
      out: (line) => {
        lines.out.push(line);
        onOut?.(line);
      },
      err: (line) => void lines.err.push(line),
      env: { XDG_CONFIG_HOME: folder, ...env },
      stdin: Readable.from([stdin]),
      isInteractive: false,
      onStop,
    };
    const code = await run(args, io);
    return { code, out: lines.out.join("\n"), err: lines.err.join("\n") };
  };
  return { cli, folder };
}
