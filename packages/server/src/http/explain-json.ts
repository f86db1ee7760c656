/** Says where a text is not JSON, and what was expected there. */
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";

const EXPECTED: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is not a JSON value; names and texts need double quotes",
  PropertyNameExpected: "the name of a member in double quotes was expected",
  ValueExpected: "a value was expected",
  ColonExpected: 'a colon ":" was expected',
  CommaExpected: 'a comma "," was expected',
  CloseBraceExpected: 'a closing "}" was expected',
  CloseBracketExpected: 'a closing "]" was expected',
  EndOfFileExpected: "the end of the body was expected",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfString: "a text is not closed with a double quote",
  InvalidNumberFormat: "a number is not complete",
  InvalidUnicode: "an escape of a character is not complete",
  InvalidEscapeCharacter: "a backslash does not begin a valid escape",
  InvalidCharacter: "a text has a control character, which JSON takes only escaped",
};

export function explainJson(text: string): string {
  const first = firstError(text);
  // The other reason to refuse a text is a member that would change the prototype of an object.
  if (!first) return "The body has a member that is not allowed: `__proto__` or `constructor`. Remove it.";
  const before = text.slice(0, first.offset).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
  return `The body is not valid JSON at ${place}: ${EXPECTED[printParseErrorCode(first.error)] ?? "this character does not belong here"}.`;
}

function firstError(text: string): ParseError | undefined {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch (error) {
    // The parser calls itself for each level, and the stack ends before a body of brackets does.
    if (!(error instanceof RangeError)) throw error;
  }
  return errors[0];
}
