import { expect, test } from "vitest";
import { createLog } from "./log.ts";
import { readableLines } from "./readable-lines.ts";

function written(work: (log: ReturnType<typeof createLog>) => void): string {
  let text = "";
  work(createLog("info", readableLines({ write: (part) => (text += part) })));
  return text;
}

test("a line for a person has the time, the level, the message and the members", () => {
  const text = written((log) => log.warn({ endpoint: "e1", counts: [1, 2] }, "a webhook endpoint was disabled"));
  expect(text).toMatch(/^\d\d:\d\d:\d\d warn {2}a webhook endpoint was disabled {2}endpoint=e1 {2}counts=\[1,2\]\n$/);
});

test("an error comes with its stack, and no line has a secret", () => {
  const text = written((log) => log.error(new Error("refused tsk_12345678_0123456789abcdef0123456789abcdef_abcdef")));
  expect(text).toContain("Error: refused tsk_12345678_[redacted]");
  expect(text).toContain("    at ");
  expect(text).not.toContain("0123456789abcdef");
});
