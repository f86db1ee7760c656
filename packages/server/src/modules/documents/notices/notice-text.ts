/** The text of the email to owners. */
import { inOneLine } from "../mails/index.ts";
import type { Item, ItemKind } from "./store.ts";

type Named = { id: string; name: string | null };

const LISTED_MAX = 20;
const LINE_LENGTH_MAX = 300;

const SECTIONS: readonly { kind: ItemKind; title: string; path: string; command: string }[] = [
  { kind: "held_invoice", title: "Held invoices", path: "held_invoices", command: "held" },
  { kind: "parked_item", title: "Parked items", path: "parked_items", command: "parked" },
];

export const noticeSubject = ({ name }: Named, count: number): string =>
  inOneLine(`${count === 1 ? "1 item waits" : `${count} items wait`} for an operator of ${name ?? ""}`);

export const describeItems = (organization: Named, items: readonly Item[], baseUrl: string): string =>
  [
    `${noticeSubject(organization, items.length)}. They are not billed until an operator decides. All other billing goes on.`,
    ...SECTIONS.flatMap(({ kind, title, path, command }) => {
      const own = items.filter((item) => item.kind === kind);
      if (own.length === 0) return [];
      const lines = own.slice(0, LISTED_MAX).map(lineOf);
      const more = own.length > lines.length ? [`- and ${own.length - lines.length} more`] : [];
      const where = `${baseUrl}/api/v1/${path}, or npm run billing -- ${command} --organization ${organization.id}`;
      return [[`${title}: ${own.length}`, ...lines, ...more, `List them: ${where}`].join("\n")];
    }),
    "Later items come in another email, at most one an hour.",
  ].join("\n\n");

const lineOf = ({ title, reason }: Item): string => {
  const line = inOneLine(`- ${title}: ${reason}`);
  return line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX - 1)}…` : line;
};
