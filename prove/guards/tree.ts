/** A copy of the repository as it lies here, in which guards can be taken away without touching it. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Edit } from "./guard.ts";

export const ROOT = join(import.meta.dirname, "../..");

/** All that is committed or would be, with the packages of others beside it. */
export async function copyTree(tree: string): Promise<void> {
  await rm(tree, { recursive: true, force: true });
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const paths = [...new Set(listed.toString().split("\0"))].filter((path) => path && existsSync(join(ROOT, path)));
  for (const folder of new Set(paths.map(dirname))) await mkdir(join(tree, folder), { recursive: true });
  for (const path of paths) await copyFile(join(ROOT, path), join(tree, path));
  await linkPackages(tree);
}

/** One by one, because our own packages must be those of the copy. */
async function linkPackages(tree: string): Promise<void> {
  const [theirs, ours] = ["node_modules", "node_modules/@tallystick"].map((folder) => join(tree, folder));
  if (theirs === undefined || ours === undefined) return;
  await mkdir(ours, { recursive: true });
  for (const name of await readdir(join(ROOT, "node_modules")))
    if (name !== "@tallystick" && name !== ".vite") await symlink(join(ROOT, "node_modules", name), join(theirs, name));
  for (const name of await readdir(join(ROOT, "node_modules/@tallystick")))
    await symlink(join(tree, "packages", name), join(ours, name));
}

/** Does something while the edits are in place, and takes them back, whatever comes of it. */
export async function withEdits<T>(tree: string, edits: readonly Edit[], work: () => Promise<T>): Promise<T> {
  const before = new Map<string, string>();
  try {
    for (const { file, find, replace } of edits) {
      const path = join(tree, file);
      const text = await readFile(path, "utf8");
      if (!before.has(path)) before.set(path, text);
      if (countOf(text, find) !== 1) throw new Error(`${file} does not hold exactly once: ${find}`);
      // As a function, because $ has a meaning in a text.
      await writeFile(
        path,
        text.replace(find, () => replace),
      );
    }
    return await work();
  } finally {
    for (const [path, text] of before) await writeFile(path, text);
  }
}

export const countOf = (text: string, part: string): number => text.split(part).length - 1;
