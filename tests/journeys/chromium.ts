/** The Chromium inside an npm package, unpacked once beside it: journeys need no download and no library of the system. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";

const FOLDER = join(import.meta.dirname, "../../node_modules/.cache/chromium");
const PARTS = ["chromium.br", "al2023.tar.br", "fonts.tar.br"];

/** `CHROMIUM_PATH`: an installed browser, for machines that the package has none for. */
export async function launchChromium(): Promise<Browser> {
  const installed = process.env.CHROMIUM_PATH;
  return await chromium.launch({
    executablePath: installed ?? (await unpackedChromium()),
    // Not the arguments that the package recommends: they switch off what separates sites.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}

async function unpackedChromium(): Promise<string> {
  mkdirSync(FOLDER, { recursive: true });
  const before = process.env.TMPDIR;
  // The package unpacks into the folder for temporary files.
  process.env.TMPDIR = FOLDER;
  try {
    const { inflate, setupLambdaEnvironment } = await import("@sparticuz/chromium");
    const packed = join(fileURLToPath(import.meta.resolve("@sparticuz/chromium")), "../../bin");
    if (!existsSync(join(FOLDER, "chromium"))) await Promise.all(PARTS.map((name) => inflate(join(packed, name))));
    setupLambdaEnvironment(join(FOLDER, "al2023", "lib"));
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  useOwnFonts();
  return join(FOLDER, "chromium");
}

/** For writings that the browser's own fonts lack: those of the documents. */
const FONTS_OF_DOCUMENTS = join(import.meta.dirname, "../../packages/server/src/platform/pdf/fonts");

/** Those that come along, and no others: without a font, text has no width, and with others, pictures differ by machine. */
function useOwnFonts(): void {
  const file = join(FOLDER, "fonts.conf");
  const folders = `<dir>${FOLDER}/fonts</dir><dir>${FONTS_OF_DOCUMENTS}</dir><cachedir>${FOLDER}/font-cache</cachedir>`;
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}</fontconfig>`,
  );
  process.env.FONTCONFIG_FILE = file;
  delete process.env.FONTCONFIG_PATH;
}
