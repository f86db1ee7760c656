/** Reads the invariants. Each file states a promise and selects the rows that break it. */
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { assetPath } from "../platform/assets.ts";

export type Invariant = {
  /** The file name without .sql. */
  name: string;
  /** The promise as a sentence. */
  promise: string;
  /** One select of the rows that break it, each with its organization_id. */
  select: string;
};

export async function readInvariants(only?: readonly string[]): Promise<Invariant[]> {
  const files = (await readdir(assetPath("invariants"))).filter((file) => file.endsWith(".sql")).sort();
  const names = files.map((file) => basename(file, ".sql"));
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`No invariant is called "${unknown}". There are: ${names.join(", ")}`);
  const chosen = names.filter((name) => only?.includes(name) ?? true);
  return Promise.all(
    chosen.map(async (name) => parseInvariant(name, await readFile(assetPath("invariants", `${name}.sql`), "utf8"))),
  );
}

/** The comment at the top of the file is the promise. Other comments are for readers of the file. */
function parseInvariant(name: string, text: string): Invariant {
  const [, comment, select] = /^((?:--.*\n)+)([\s\S]+)$/.exec(text) ?? [];
  if (comment === undefined || select === undefined) throw new Error(`${name}.sql does not begin with its promise`);
  const promise = comment.replaceAll(/^-- ?/gm, "").trim().replaceAll(/\s+/g, " ");
  return { name, promise, select: select.trim().replace(/;$/, "") };
}
