/** What a figure needs beside it so that a stranger can repeat it: when, which commit, which versions, which machine. */
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
      // Over 15 minutes, at the end: whether others used the machine too.
      load: Math.round((loadavg()[2] ?? 0) * 10) / 10,
      system: `${process.platform} ${process.arch}`,
    },
  };
}

export function describeCommit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  return `${git("rev-parse", "HEAD")}${git("status", "--porcelain") === "" ? "" : " with changes"}`;
}
