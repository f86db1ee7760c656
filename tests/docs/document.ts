// Reads the fenced blocks of a page: commands and their output.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../doors/door.ts";

export type Block = { language: string; text: string; line: number };

export function readBlocks(path: string): Block[] {
  const page = readFileSync(join(root, path), "utf8");
  return Array.from(page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm), (match) => ({
    language: match[1] ?? "",
    text: match[2] ?? "",
    line: page.slice(0, match.index).split("\n").length,
  }));
}

/** One command per line; a backslash at the end continues it on the next line. */
export const commandsOf = (block: Block): string[] =>
  block.text
    .split(/(?<!\\)\n/)
    .map((command) => command.trim())
    .filter((command) => command !== "");

/** Text in which `…` matches anything within the line. */
export function patternOf(text: string): RegExp {
  const parts = text.trimEnd().split("…");
  return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join(".*")}$`);
}

/** Values that differ on each run; a page shows one example. */
const MADE_UP = ["svc_id", "lago_id", "slug", "created_at", "updated_at"];

/** The members that a page shows. Values that differ on each run match any text. */
export function shownMembers(value: unknown, anyText: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => shownMembers(item, anyText));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    MADE_UP.includes(name) ? anyText : shownMembers(member, anyText),
  ]);
  return Object.fromEntries(members);
}
