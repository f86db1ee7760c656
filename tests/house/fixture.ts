// A temporary folder shaped like the repository, to run the tools of the house in.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const root = join(import.meta.dirname, "../..");

/** Paths and their contents. */
export type Tree = Readonly<Record<string, string>>;

/** Calls `use` with a new folder that contains the tree and copies of these repository files; removes it afterwards. */
export function withTree<T>(tree: Tree, copied: readonly string[], use: (folder: string) => T): T {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tallystick-house-")));
  try {
    for (const path of copied) cpSync(join(root, path), join(folder, path));
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs Node with these arguments. Throws if the program cannot start, but not if it fails. */
export function runNode(folder: string, ...args: string[]): { status: number; stdout: string; output: string } {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  return { status: status ?? -1, stdout, output: `${stdout}${stderr}` };
}

/** The path of a program of an installed package. */
export const tool = (path: string): string => join(root, "node_modules", path);
