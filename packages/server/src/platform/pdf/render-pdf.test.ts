import { createHash } from "node:crypto";
import naughtyStrings from "big-list-of-naughty-strings" with { type: "json" };
import { PNG } from "pngjs";
import { afterAll, expect, test } from "vitest";
import { createPdfRenderer } from "./render-pdf.ts";

const renderer = createPdfRenderer();
afterAll(renderer.close);

const FONTS = ["Sans", "Arabic", "Hebrew", "Thai", "Devanagari", "Han", "Hangul"].map((name) => `"Tallystick ${name}"`);
const template = `
#let texts = json(bytes(sys.inputs.data))
#set document(date: datetime(year: 2026, month: 1, day: 1))
#set text(font: (${FONTS.join(", ")}), fallback: false)
#for one in texts [- #one]`;
const job = (...data: string[]) => ({ template, data, createdAtSeconds: 1_767_225_600 });
const digest = (pdf: Buffer): string => createHash("sha256").update(pdf).digest("hex");

function pngOf(shade: number): Buffer {
  const png = new PNG({ width: 2, height: 2 });
  png.data.fill(shade);
  return PNG.sync.write(png, { colorType: 2 });
}

test("any user text can be drawn", async () => {
  const pdf = await renderer.render(job(...naughtyStrings));
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  expect(pdf.toString("latin1")).toMatch("<pdfaid:part>3</pdfaid:part><pdfaid:conformance>");
});

test("the same data gives the same bytes, even in another process", async () => {
  const other = createPdfRenderer();
  try {
    const texts = ["Zoë Ltd", "株式会社テスト", "שלום", "مرحبا", "한국", "ไทย", "हिन्दी"];
    const first = await renderer.render(job(...texts));
    await renderer.render(job("something else"));
    expect(digest(await renderer.render(job(...texts)))).toBe(digest(first));
    expect(digest(await other.render(job(...texts)))).toBe(digest(first));
    expect(digest(await other.render(job("Zoe Ltd")))).not.toBe(digest(first));
  } finally {
    await other.close();
  }
});

test("an image is drawn only from the bytes in the job", async () => {
  const other = createPdfRenderer();
  const withPicture = (shade: number) => ({
    ...job(),
    template: '#set document(date: datetime(year: 2026, month: 1, day: 1))\n#image("/picture.png", alt: "a square")',
    files: { "/picture.png": pngOf(shade) },
  });
  try {
    const [dark, light] = [await renderer.render(withPicture(10)), await renderer.render(withPicture(200))];
    expect(digest(light)).not.toBe(digest(dark));
    expect(digest(await renderer.render(withPicture(10)))).toBe(digest(dark));
    expect(digest(await other.render(withPicture(10)))).toBe(digest(dark));
    const { files: _, ...without } = withPicture(10);
    await expect(renderer.render(without)).rejects.toThrow("file not found");
  } finally {
    await other.close();
  }
});

test("a document is aborted at the time limit, and the next one is drawn", async () => {
  const hasty = createPdfRenderer({ timeMaxMs: 2_000 });
  try {
    const loops = "#for i in range(99999) { for j in range(99999) { let sine = calc.sin(j) } }";
    await expect(hasty.render({ ...job(), template: loops })).rejects.toThrow("it took more than 2000 ms");
    expect((await hasty.render(job("fine"))).length).toBeGreaterThan(1000);
  } finally {
    await hasty.close();
  }
});

test("a small document does not wait for a large one", async () => {
  const loops = "#for i in range(99999) { for j in range(99999) { let sine = calc.sin(j) } }";
  const busy = createPdfRenderer({ timeMaxMs: 20_000 });
  const large = busy.render({ ...job("x".repeat(300_000)), template: loops }).catch(() => "given up");
  expect((await busy.render(job("small"))).length).toBeGreaterThan(1000);
  await busy.close();
  expect(await large).toBe("given up");
});

test("an error in a template is reported, and the process goes on", async () => {
  await expect(renderer.render({ ...job(), template: "#nothing" })).rejects.toThrow("unknown variable: nothing");
  expect((await renderer.render(job("fine"))).length).toBeGreaterThan(1000);
});

test("too much data is refused before anything is started", async () => {
  const small = createPdfRenderer({ dataMaxBytes: 100 });
  await expect(small.render(job("x".repeat(100)))).rejects.toThrow("too large");
});

test("a process that has grown too large is replaced without losing a document", async () => {
  const lean = createPdfRenderer({ memoryMaxBytes: 1 });
  try {
    const pdfs = await Promise.all(["a", "b", "a"].map((text) => lean.render(job(text))));
    expect(pdfs.map(digest)).toHaveLength(3);
    expect(pdfs[2]?.equals(pdfs[0] ?? Buffer.alloc(0))).toBe(true);
  } finally {
    await lean.close();
  }
});
