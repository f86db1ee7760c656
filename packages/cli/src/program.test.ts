// Help, version, mistakes: what needs neither a database nor a service.

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { SHELLS } from "./completion.ts";
import { processIo } from "./io.ts";
import { createProgram } from "./program.ts";
import { openCli } from "./testing/run-cli.ts";

const ENTRY = join(import.meta.dirname, "tallystick.ts");
const NPM_ENTRY = join(import.meta.dirname, "npm-run.ts");
const UNREACHABLE = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing", TALLYSTICK_URL: "http://127.0.0.1:1" };

const { cli, folder } = openCli();

function pathsOf(command: Command, path: readonly string[] = []): string[][] {
  return [[...path], ...command.commands.flatMap((child) => pathsOf(child, [...path, child.name()]))];
}
const PATHS = pathsOf(createProgram({ io: processIo(), args: [], outcome: { code: 0 } }));

/** In a process of its own, with nothing to connect to. */
const runAlone = (entry: string, args: readonly string[]) =>
  spawnSync(process.execPath, [entry, ...args], {
    encoding: "utf8",
    cwd: folder,
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: folder, ...UNREACHABLE },
    timeout: 60_000,
  });

describe("help", () => {
  test.each(PATHS.map((path) => [path.join(" ") || "tallystick", path]))(
    "%s shows it and does nothing else",
    async (_, path) => {
      for (const flag of ["--help", "-h"]) {
        const { code, out, err } = await cli([...path, flag], { env: UNREACHABLE });
        expect([code, err]).toEqual([0, ""]);
        expect(out).toMatch(new RegExp(`^Usage: ${["tallystick", ...path].join(" ")}[ \n]`));
      }
    },
  );

  test("comes without loading the service, also where an option would have a value", () => {
    for (const args of [
      ["migrate", "--help"],
      ["keys", "create", "--name", "x", "-h"],
      ["sandbox", "--port", "0", "--help"],
    ]) {
      const { status, stdout, stderr } = runAlone(ENTRY, args);
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("Usage: tallystick");
    }
  });

  test("is what npm run shows as well", () => {
    const { status, stdout } = runAlone(NPM_ENTRY, ["migrate", "--help"]);
    expect(status).toBe(0);
    expect(stdout).toContain("Usage: tallystick migrate");
  });

  test("says the version without a database", () => {
    const { status, stdout } = runAlone(ENTRY, ["--version"]);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });
});

describe("wrong use ends with 2 and names the nearest", () => {
  test.each([
    [["migrte"], "(Did you mean migrate?)"],
    [["keys", "crate"], "(Did you mean create?)"],
    [["sandbox", "--prot", "0"], "(Did you mean --port?)"],
    [["keys", "list"], "required option '--organization <id>' not specified"],
    [["migrate", "now"], "too many arguments"],
    [["login", "--url", "billing.example", "--key", "tsk"], "--url takes an address"],
    [["invoices", "preview", "sub"], 'Run "tallystick login"'],
    [["completion", "tcsh"], "Allowed choices are bash, fish, zsh"],
    [["fees", "explain", "1", "--profile", "live"], "There is no profile live"],
  ])("%j", async (args, words) => {
    const { code, out, err } = await cli(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(words);
  });

  test("a group without a command shows its help on stderr", async () => {
    const { code, out, err } = await cli(["keys"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("Usage: tallystick keys");
  });
});

describe("a program of the service", () => {
  test("gets its arguments as they are, and sets the exit code", () => {
    const { status, stdout, stderr } = runAlone(ENTRY, ["verify", "--limit-seconds", "many"]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("--limit-seconds N");
  });

  test("that fails ends with 1", () => {
    const { status, stderr } = runAlone(ENTRY, ["organizations", "list"]);
    expect(status).toBe(1);
    expect(stderr).toContain("ECONNREFUSED");
  });
});

describe("completion", () => {
  const complete = (line: string): string[] => {
    const script = `${out}\nCOMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _tallystick; echo "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim().split(" ");
  };
  let out = "";

  test("bash offers commands, their commands and their options", async () => {
    ({ out } = await cli(["completion", "bash"]));
    expect(complete('tallystick "mig"')).toEqual(["migrate"]);
    expect(complete('tallystick keys ""')).toEqual(expect.arrayContaining(["create", "list", "rotate", "revoke"]));
    expect(complete('tallystick keys create "--pre"')).toEqual(["--preset"]);
  });

  test.each(SHELLS)("%s has every command", async (shell) => {
    const script = (await cli(["completion", shell])).out;
    for (const path of PATHS) expect(script).toContain(path.at(-1) ?? "");
  });
});
