/** Runs tests by their names, in a copy of the repository, and tells what became of each. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { NamedTest } from "./guard.ts";

/** failed: an expectation of it was not met. It did not run: also where it broke down before it could expect anything. */
export type Verdict = "passed" | "failed" | "did not run";

export type TestRun = {
  tree: string;
  databaseUrl: string;
  signal: AbortSignal;
};

type Report = {
  testResults: {
    name: string;
    message?: string;
    assertionResults: { title: string; status: string; failureMessages?: string[] }[];
  }[];
};

export type Judged = { verdict: Verdict; words: string };

/** In the order of the tests. */
export async function runNamedTests(run: TestRun, tests: readonly NamedTest[]): Promise<Judged[]> {
  const file = join(run.tree, "report.json");
  await rm(file, { force: true });
  const files = [...new Set(tests.map((test) => test.file))];
  const names = tests.map(({ name }) => patternOf(name).source).join("|");
  const words = await runVitest(run, [...files, "-t", names, "--reporter=json", `--outputFile=${file}`]);
  run.signal.throwIfAborted();
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return tests.map(() => ({ verdict: "did not run", words }));
  const report: Report = JSON.parse(text);
  return tests.map((test) => judge(report, test));
}

/** What is expected of a promise is put in other words where it is not so. */
const UNMET = /^(AssertionError|Error: expected |Error: promise (resolved|rejected) )/;

/** A service that has too much to do says so, with every guard in its place too: that proves nothing. */
const TOO_BUSY = /\b503\b/;

/** Where a name stands for several tests, one that fails is enough. */
function judge({ testResults }: Report, { file, name }: NamedTest): Judged {
  const own = testResults.filter((result) => result.name.endsWith(`/${file}`));
  const isNamed = new RegExp(`^${patternOf(name).source}$`);
  const ran = own
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ title, status }) => isNamed.test(title) && (status === "passed" || status === "failed"));
  const messages = ran.flatMap(({ failureMessages = [] }) => failureMessages);
  const unmet = messages.find((message) => UNMET.test(message) && !TOO_BUSY.test(message));
  if (unmet !== undefined) return { verdict: "failed", words: unmet };
  if (ran.length > 0 && messages.length === 0) return { verdict: "passed", words: "" };
  return { verdict: "did not run", words: [...messages, ...own.map(({ message = "" }) => message)].join("\n") };
}

/** `%s` and the like are filled in when a test runs. */
const patternOf = (name: string): RegExp => new RegExp(name.split("%s").map(RegExp.escape).join(".+"));

/** Its last words, for whoever must know why there is no report. */
async function runVitest({ tree, databaseUrl, signal }: TestRun, options: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [join(tree, "node_modules/vitest/vitest.mjs"), "run", ...options], {
    cwd: tree,
    env: { ...ownEnvironment(), DATABASE_URL: databaseUrl },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let words = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-4000);
    });
  // It ends the processes of its own.
  const end = (): boolean => child.kill("SIGTERM");
  signal.addEventListener("abort", end);
  try {
    await once(child, "close");
    return words;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Without what a test runner that started this has told its own processes. */
const ownEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|VITE_|NODE_ENV$|CLICKHOUSE_URL$|TEST$)/.test(name)),
  );
