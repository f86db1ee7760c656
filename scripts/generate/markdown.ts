/** The pieces of which generated pages are made. */

export const GENERATED = '<!-- Made by "npm run generate" from the code; changes by hand are lost. -->';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

export const code = (text: string): string => `\`${text}\``;

/** Blocks with an empty line between them, and one line end at the end. */
export const page = (...blocks: readonly string[]): string => `${blocks.join("\n\n")}\n`;
