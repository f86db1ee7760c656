/** What a reader needs to repeat a figure: time, commit, versions and machine. */
import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { systemClock } from "../packages/server/src/platform/clock.ts";

const ROOT = join(import.meta.dirname, "..");

export function describeRun(versions: Readonly<Record<string, string | undefined>> = {}) {
  return {
    at: systemClock.now().toString(),
    commit: describeCommit(),
    versions: { node: process.versions.node, ...versions },
    machine: {
      cpus: availableParallelism(),
      cpu: cpus()[0]?.model ?? "unknown",
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      // The 15-minute load at the end shows whether the machine had other work.
      load: Math.round((loadavg()[2] ?? 0) * 10) / 10,
      system: `${process.platform} ${process.arch}`,
    },
  };
}

export function describeCommit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  return `${git("rev-parse", "HEAD")}${git("status", "--porcelain") === "" ? "" : " with changes"}`;
}
