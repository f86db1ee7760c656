/** The notices for readers. The terms of most licenses ask for their text wherever the code goes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./bundle.ts";
import type { Component } from "./third-party.ts";

/** They ask for nothing but their text. */
const PERMISSIVE = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT-0",
  "OFL-1.1",
];

const MIT = readFileSync(join(import.meta.dirname, "mit.txt"), "utf8").trim();

/** Packages beside ours bring their own. Throws at a license that asks for more than its text, and where there is no text. */
export function writeNotices(components: readonly Component[]): string {
  const parts = components.filter(({ isInside }) => isInside).map(noticeOf);
  const intro = `Tallystick contains software of others, ${parts.length} packages in all. Their names, licenses and notices follow.

It contains fonts made from Inter and Noto Sans: see dist/assets/platform/pdf/fonts/OFL.txt.

The script of its API pages is from @scalar/fastify-api-reference, which has compiled other libraries into it, such as Vue, and does not list them.
Comments in that script have the notices that its makers kept.

It contains a list of common passwords from @zxcvbn-ts/language-common 4.1.3. License: MIT
Copyright (c) 2012 Dropbox, Inc. and contributors

${MIT}
`;
  return [intro, ...parts].join("\n");
}

function noticeOf({ place, name, version, license }: Component): string {
  if (!PERMISSIVE.includes(license))
    throw new Error(
      `${name} has the license ${license}. A package inside of ours needs one of: ${PERMISSIVE.join(", ")}.`,
    );
  const texts = licenseTexts(place);
  if (texts.length > 0) return `===== ${name} ${version}\nLicense: ${license}\n\n${texts.join("\n\n")}\n`;
  if (license !== "MIT") throw new Error(`${name} has no text of its license, ${license}.`);
  return `===== ${name} ${version}\nLicense: ${license}\n\nCopyright (c) ${authorOf(place)}\n\n${MIT}\n`;
}

/** Its files, or the part of its page that has the terms. */
function licenseTexts(place: string): string[] {
  const files = readdirSync(join(ROOT, place), { withFileTypes: true }).filter((entry) => entry.isFile());
  const read = (pattern: RegExp): string[] =>
    files.filter(({ name }) => pattern.test(name)).map(({ name }) => readFileSync(join(ROOT, place, name), "utf8"));
  const own = read(/^(licen[cs]e|notice|copying)/i);
  const onPage = read(/^readme/i).flatMap(
    (page) => /^#+ *licen[cs]e\s([\s\S]*Permission is hereby granted[\s\S]*)/im.exec(page)?.[1] ?? [],
  );
  return (own.length > 0 ? own : onPage).map((text) => text.trim());
}

function authorOf(place: string): string {
  const { author } = JSON.parse(readFileSync(join(ROOT, place, "package.json"), "utf8"));
  const name: unknown = typeof author === "string" ? author.replace(/ *<.*/, "") : author?.name;
  if (typeof name !== "string") throw new Error(`${place} names no author and has no text of its license.`);
  return name;
}
