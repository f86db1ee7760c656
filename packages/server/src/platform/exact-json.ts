/** JSON with amounts of any size as bigint, because a JavaScript number loses digits of large amounts. */

/** Node has these; the compiler's library does not declare them yet. */
const exact = JSON as unknown as {
  rawJSON: (text: string) => object;
  parse: (text: string, revive: (name: string, value: unknown, context: { source?: string }) => unknown) => unknown;
};

export const toExactJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member) => (typeof member === "bigint" ? exact.rawJSON(String(member)) : member));

/** Whole numbers that a JavaScript number cannot hold come back as bigint. */
export const fromExactJson = (text: string): unknown =>
  exact.parse(text, (_name, member, { source }) =>
    source !== undefined && /^-?\d+$/.test(source) && !Number.isSafeInteger(member) ? BigInt(source) : member,
  );
