/** Time per invoice PDF, against the bare compiler with the same data, and whether a thousand in a row need more memory. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { documentJobs } from "../packages/server/src/modules/documents/index.ts";
import { loadCompilers } from "../packages/server/src/platform/pdf/load-compilers.ts";
import { createPdfRenderer, type PdfJob } from "../packages/server/src/platform/pdf/render-pdf.ts";
import { inStudio, MAKE_JOB, type Studio, subjectOf } from "./documents/studio.ts";

const INVOICES = 1000;
const WARM_UP = 50;
const LINES_MAX = 30;
const LOCALES = ["en", "fr", "de", "es", "it", "nb", "sv"];
const SERVER = join(import.meta.dirname, "../packages/server");
const FONTS = join(SERVER, "src/platform/pdf/fonts");

export async function measureDocuments() {
  return inStudio(async (studio) => {
    const paths = await makeInvoices(studio);
    // Without a limit, so that a new process does not hide growth.
    const renderer = createPdfRenderer({ memoryMaxBytes: Number.POSITIVE_INFINITY });
    try {
      return await measure(studio, paths, renderer);
    } finally {
      await renderer.close();
    }
  });
}

async function measure({ platform, organizationId }: Studio, paths: readonly string[], renderer: Renderer) {
  const times: Record<"whole" | "drawing" | "bare", number[]> = { whole: [], drawing: [], bare: [] };
  const timed = async <Result>(name: keyof typeof times, work: () => Result): Promise<Awaited<Result>> => {
    const begun = performance.now();
    const result = await work();
    times[name].push(performance.now() - begun);
    return result;
  };
  const drawBare = createBareCompiler();
  const jobs: PdfJob[] = [];
  const pdf = {
    ...renderer,
    render: (job: PdfJob) => {
      jobs.push(job);
      return timed("drawing", () => renderer.render(job));
    },
  };
  const make = documentJobs({ ...platform, pdf })[MAKE_JOB];
  const memory: Record<string, { renderer: number; service: number }> = {};
  for (const [index, path] of paths.entries()) {
    await timed("whole", () => make?.(organizationId, { subject: subjectOf(path), baseUrl: "http://bench.example" }));
    const job = jobs.pop();
    if (!job) throw new Error(`${path} was not drawn`);
    // In turns, so that other load on the machine slows both.
    await timed("bare", () => drawBare(job));
    const moment = MOMENTS.get(index);
    if (moment) memory[moment] = { renderer: inMiB(renderer.memoryBytes()), service: inMiB(process.memoryUsage.rss()) };
  }
  const ms = {
    whole: summary(times.whole),
    drawing: summary(times.drawing),
    bareCompiler: summary(times.bare),
  };
  return {
    invoices: INVOICES,
    lines: `1 to ${LINES_MAX}`,
    ms,
    wholeToBare: rounded(ms.whole.median / ms.bareCompiler.median),
    drawingToBare: rounded(ms.drawing.median / ms.bareCompiler.median),
    memoryMiB: memory,
    pdfStandard: loadCompilers().pdfStandard,
  };
}

type Renderer = ReturnType<typeof createPdfRenderer>;

const MOMENTS: ReadonlyMap<number, string> = new Map([
  [WARM_UP, "start"],
  [INVOICES / 2, "middle"],
  [INVOICES - 1, "end"],
]);

/** The compiler of the rendering process, without everything around it. */
function createBareCompiler(): (job: PdfJob) => Buffer {
  const fontBlobs = readdirSync(FONTS)
    .filter((name) => name.endsWith(".ttf"))
    .sort()
    .map((name) => readFileSync(join(FONTS, name)));
  const { compilers, pdfStandard } = loadCompilers();
  const compiler = compilers.create({ workspace: FONTS, fontArgs: [{ fontBlobs }] });
  return ({ template, data, createdAtSeconds }) => {
    const inputs = { data: JSON.stringify(data) };
    const options = { pdfStandard, creationTimestamp: createdAtSeconds };
    const drawn = compiler.pdf({ mainFileContent: template, inputs }, options);
    compiler.evictCache(2);
    return drawn;
  };
}

/** Creates invoices in all languages, from one line to a full page. Returns their paths. */
async function makeInvoices({ must }: Studio): Promise<string[]> {
  await must("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20", applied_to_organization: true } });
  await must("POST", "/add_ons", { add_on: { name: "Hours", code: "hours", amount_cents: 1, amount_currency: "EUR" } });
  for (const locale of LOCALES) {
    const billing_configuration = { document_locale: locale };
    await must("POST", "/customers", {
      customer: {
        external_id: locale,
        name: `Customer ${locale}`,
        currency: "EUR",
        country: "FR",
        billing_configuration,
      },
    });
  }
  const paths: string[] = [];
  for (let number = 0; number < INVOICES; number++) {
    const fees = Array.from({ length: 1 + (number % LINES_MAX) }, (_, line) => ({
      add_on_code: "hours",
      units: line + 1,
      unit_amount_cents: 100 + number + line,
      description: `Work of day ${line + 1}, in case ${number}`,
    }));
    const external_customer_id = LOCALES[number % LOCALES.length];
    const { invoice } = await must("POST", "/invoices", { invoice: { external_customer_id, currency: "EUR", fees } });
    paths.push(`/invoices/${invoice.svc_id}`);
  }
  return paths;
}

function summary(all: readonly number[]) {
  const sorted = all.slice(WARM_UP).toSorted((a, b) => a - b);
  const at = (share: number): number => rounded(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { median: at(0.5), p99: at(0.99) };
}

const rounded = (value: number): number => Number(value.toFixed(2));
const inMiB = (bytes: number): number => Math.round(bytes / 2 ** 20);
