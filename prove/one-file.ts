/** The programs that campaigns start and kill, each made one file first: a process that has 2,400 modules to load spends half of its life on it. */
import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join, parse, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";

const ROOT = join(import.meta.dirname, "..");
const PROGRAMS = join(ROOT, ".data/prove/programs");
/** What is left of the time to load is compiling. */
const COMPILE_CACHE = join(ROOT, ".data/prove/compile-cache");

const made = new Map<string, Promise<string>>();

/** Resolves with the one file. Everything is in it but what node itself brings and what is not JavaScript. */
export function oneFileOf(program: string): Promise<string> {
  const file = made.get(program) ?? makeOneFile(program);
  made.set(program, file);
  return file;
}

async function makeOneFile(program: string): Promise<string> {
  const code = await bundle(program);
  const name = relative(ROOT, program).replaceAll("/", "-");
  const file = join(
    PROGRAMS,
    `${parse(name).name}-${createHash("sha256").update(code).digest("hex").slice(0, 16)}.mjs`,
  );
  await mkdir(PROGRAMS, { recursive: true });
  // Another campaign may make or run the same one just now.
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, code);
  await rename(unfinished, file);
  return file;
}

async function bundle(program: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: "error",
    root: ROOT,
    plugins: [keepPlaces],
    ssr: { noExternal: true },
    build: {
      ssr: program,
      write: false,
      minify: false,
      target: "esnext",
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [chunk, ...rest] = Array.isArray(result) || !("output" in result) ? [] : result.output;
  if (chunk?.type !== "chunk" || rest.length > 0) throw new Error(`${program} is more than one file`);
  return chunk.code;
}

/** A module that reads files beside it goes on reading them where they are. */
const keepPlaces = {
  name: "keep places",
  transform: (code: string, id: string): string | undefined => {
    if (!code.includes("import.meta.")) return undefined;
    const file = id.split("?")[0] ?? id;
    return code
      .replaceAll("import.meta.dirname", JSON.stringify(parse(file).dir))
      .replaceAll("import.meta.filename", JSON.stringify(file))
      .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(file).href));
  },
};

/** Starts it with a channel for messages; what it complains of is seen. */
export const forkProgram = (file: string, args: readonly string[]): ChildProcess =>
  fork(file, args, {
    execArgv: [],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
