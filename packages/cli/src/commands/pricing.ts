/** `tallystick pricing …`: the catalog as files, to review it, keep it in git, and bring it from a sandbox to live. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import type { Context, Io } from "../io.ts";
import { UsageError } from "../outcome.ts";
import { type Api, type ApiOptions, addApiCommand, toJson } from "./api-command.ts";
import { type Difference, differencesOf, inWords } from "./catalog-differences.ts";
import { KINDS, type Kind } from "./catalog-kinds.ts";
import type { Definition } from "./definitions.ts";

type Options = ApiOptions & { yes?: boolean };
type Stored = { definition: Definition; record: object };
type Change = { kind: Kind; definition: Definition; stored: Stored | undefined; differences: Difference[] };
type Comparison = { changes: Change[]; onlyThere: string[] };

export function addPricing(program: Command, context: Context): void {
  const pricing = program
    .command("pricing")
    .description("Keep taxes, billable metrics, add-ons, plans and coupons in files")
    .addHelpText("after", NOTES);
  const folder = ["[folder]", "the folder of the files", "pricing"] as const;
  addApiCommand<Options>(
    pricing
      .command("pull")
      .description("Write the catalog of the service into files")
      .argument(...folder),
    context,
    (api, _, path) => pull(context.io, api, path ?? ""),
  );
  addApiCommand<Options>(
    pricing
      .command("diff")
      .description("Show what push would change; exit code 1 if there is anything")
      .argument(...folder),
    context,
    async (api, _, path) => {
      const { changes, onlyThere } = await compareWith(api, path ?? "");
      show(api, { changes, onlyThere });
      if (changes.length > 0) context.outcome.code = 1;
    },
  );
  addApiCommand<Options>(
    pricing
      .command("push")
      .description("Make the service have what the files say. It shows the changes and asks first; nothing is deleted")
      .argument(...folder)
      .option("--yes", "do not ask"),
    context,
    (api, options, path) => push(context, api, options, path ?? ""),
  );
}

const NOTES = `
From a sandbox to live:
  tallystick pricing pull --profile sandbox
  tallystick pricing diff --profile live
  tallystick pricing push --profile live`;

async function pull(io: Io, { tally, print }: Api, folder: string): Promise<void> {
  const files: string[] = [];
  for (const kind of KINDS) {
    mkdirSync(join(folder, kind.name), { recursive: true });
    for (const { definition } of (await readStored(kind, tally)).values()) {
      const file = fileOf(folder, kind, definition.code);
      writeFileSync(file, `${JSON.stringify(JSON.parse(toJson(definition)), null, 2)}\n`);
      files.push(file);
    }
  }
  for (const file of readFiles(folder)
    .map(({ file }) => file)
    .filter((file) => !files.includes(file)))
    io.err(`${file} is not on the service, and is left as it is.`);
  print({ files }, `${files.length} files written to ${folder}`);
}

/** A code may hold any character. */
const fileOf = (folder: string, kind: Kind, code: string): string =>
  join(folder, kind.name, `${encodeURIComponent(code).replace(/^\./, "%2E")}.json`);

async function push(context: Context, api: Api, { yes }: Options, folder: string): Promise<void> {
  const { io, outcome } = context;
  const { changes, onlyThere } = await compareWith(api, folder);
  const { name } = await api.tally.organization.get();
  if (changes.length === 0) return api.print({ changes: [], only_there: onlyThere }, `${name} has it all already.`);
  for (const line of changes.flatMap(describe)) io.err(line);
  if (!yes && !(await isAgreed(io, `Apply ${changes.length} changes to ${name} at ${api.profile.url}? (yes/no) `))) {
    io.err("Nothing was changed.");
    outcome.code = 1;
    return;
  }
  for (const { kind, definition, stored } of changes) {
    io.err(`${kind.name}/${definition.code} …`);
    await (stored ? kind.update(api.tally, definition, stored.record as never) : kind.create(api.tally, definition));
  }
  // A member of a record that is in use may have been ignored.
  const left = (await compareWith(api, folder)).changes;
  for (const line of left.flatMap(describe)) io.err(`Not taken by the service: ${line}`);
  if (left.length > 0) outcome.code = 1;
  api.print(
    { changes: changes.map(toApi), not_taken: left.map(toApi) },
    `${changes.length} changes applied to ${name}`,
  );
}

async function isAgreed(io: Io, question: string): Promise<boolean> {
  if (!io.isInteractive)
    throw new UsageError("There is no terminal to answer questions. Look at the changes, and add --yes.");
  const lines = createInterface({ input: io.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
}

async function compareWith({ tally }: Api, folder: string): Promise<Comparison> {
  const files = readFiles(folder);
  if (files.length === 0)
    throw new UsageError(`${folder} has no files. Run "tallystick pricing pull ${folder}" first.`);
  const changes: Change[] = [];
  const onlyThere: string[] = [];
  for (const kind of KINDS) {
    const all = await readStored(kind, tally);
    const own = files.filter((file) => file.kind === kind);
    for (const { definition } of own) {
      const stored = all.get(definition.code);
      const differences = differencesOf(stored?.definition, definition);
      if (differences.length > 0) changes.push({ kind, definition, stored, differences });
      all.delete(definition.code);
    }
    onlyThere.push(...[...all.keys()].map((code) => `${kind.name}/${code}`));
  }
  return { changes, onlyThere };
}

async function readStored(kind: Kind, tally: Api["tally"]): Promise<Map<string, Stored>> {
  const records = await Array.fromAsync(kind.read(tally));
  const stored = records.map((record) => ({ record, definition: kind.normalize(kind.toDefinition(record as never)) }));
  return new Map(stored.map((one) => [one.definition.code, one]));
}

function readFiles(folder: string): { kind: Kind; file: string; definition: Definition }[] {
  return KINDS.flatMap((kind) =>
    namesIn(join(folder, kind.name)).map((name) => {
      const file = join(folder, kind.name, name);
      return { kind, file, definition: kind.normalize(readDefinition(file)) };
    }),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

function readDefinition(file: string): Definition {
  let definition: unknown;
  try {
    definition = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof (definition as Definition | null)?.code !== "string") throw new Error(`${file} has no code.`);
  return definition as Definition;
}

function show({ print }: Api, { changes, onlyThere }: Comparison): void {
  const lines = changes.flatMap(describe);
  const only = onlyThere.map((path) => `  ${path}: only on the service, and left as it is`);
  const none = changes.length === 0 ? ["No differences"] : [];
  print({ changes: changes.map(toApi), only_there: onlyThere }, [...lines, ...only, ...none]);
}

const describe = ({ kind, definition, stored, differences }: Change): string[] =>
  stored
    ? differences.map((difference) => `~ ${kind.name}/${definition.code} ${inWords(difference)}`)
    : [`+ ${kind.name}/${definition.code}`];

const toApi = ({ kind, definition, stored, differences }: Change): object => ({
  path: `${kind.name}/${definition.code}`,
  action: stored ? "update" : "create",
  differences: stored ? differences : [],
});
