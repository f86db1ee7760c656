/** Reads the invariants. Each file states a promise and selects the rows that break it. */
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

export type Invariant = {
  /** The file name without .sql. */
  name: string;
  /** The promise as a sentence. */
  promise: string;
  /** One select of the rows that break it, each with its organization_id. */
  select: string;
};

const FOLDER = join(import.meta.dirname, "invariants");

export async function readInvariants(only?: readonly string[]): Promise<Invariant[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith(".sql")).sort();
  const names = files.map((file) => basename(file, ".sql"));
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`No invariant is called "${unknown}". There are: ${names.join(", ")}`);
  const chosen = names.filter((name) => only?.includes(name) ?? true);
  return Promise.all(
    chosen.map(async (name) => parseInvariant(name, await readFile(join(FOLDER, `${name}.sql`), "utf8"))),
  );
}

/** The comment at the top of the file is the promise. Other comments are for readers of the file. */
function parseInvariant(name: string, text: string): Invariant {
  const [, comment, select] = /^((?:--.*\n)+)([\s\S]+)$/.exec(text) ?? [];
  if (comment === undefined || select === undefined) throw new Error(`${name}.sql does not begin with its promise`);
  const promise = comment.replaceAll(/^-- ?/gm, "").trim().replaceAll(/\s+/g, " ");
  return { name, promise, select: select.trim().replace(/;$/, "") };
}
