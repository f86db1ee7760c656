/** Renders PDF/A files, and pages for a screen, from a template and data, with limits for time, size and memory. Small ones do not wait for large ones. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { programPath } from "../assets.ts";
import type { DrawAnswer, DrawJob, PdfJob } from "./render-process.ts";

export type { PdfJob } from "./render-process.ts";

export type PdfRenderer = {
  /** The same job gives the same bytes, in any process. */
  render: (job: PdfJob) => Promise<Buffer>;
  /** Each page as an SVG. */
  renderPages: (job: PdfJob) => Promise<string[]>;
  /** The memory of its processes at their last responses. */
  memoryBytes: () => number;
  close: () => Promise<void>;
};

export type PdfLimits = { timeMaxMs: number; dataMaxBytes: number; memoryMaxBytes: number };

const LIMITS: PdfLimits = { timeMaxMs: 60_000, dataMaxBytes: 16 * 2 ** 20, memoryMaxBytes: 1024 * 2 ** 20 };
/** Starting the process takes longer than drawing, so the first job has a longer limit. */
const IDLE_MAX_MS = 60_000;

/** Up to some hundred lines: drawn within a second. */
const SMALL_BYTES = 256 * 2 ** 10;

export function createPdfRenderer(limits: Partial<PdfLimits> = {}): PdfRenderer {
  const all = { ...LIMITS, ...limits };
  const [small, large] = [createProcess(all), createProcess(all)];
  const draw = async (job: DrawJob) => {
    const bytes = Buffer.byteLength(JSON.stringify(job.data));
    if (bytes > all.dataMaxBytes) throw new Error(`a PDF of ${bytes} bytes of data is too large`);
    return (bytes > SMALL_BYTES ? large : small).draw(job);
  };
  return {
    render: async (job) => Buffer.from((await draw({ ...job, as: "pdf" })) as Buffer),
    renderPages: async (job) => (await draw({ ...job, as: "pages" })) as string[],
    memoryBytes: () => small.memoryBytes() + large.memoryBytes(),
    close: async () => {
      await Promise.all([small.close(), large.close()]);
    },
  };
}

type Drawn = Extract<DrawAnswer, { drawn: unknown }>["drawn"];
type DrawProcess = Pick<PdfRenderer, "memoryBytes" | "close"> & { draw: (job: DrawJob) => Promise<Drawn> };

/** Draws one at a time. */
function createProcess({ timeMaxMs, memoryMaxBytes }: PdfLimits): DrawProcess {
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let memoryBytes = 0;

  const stop = async (): Promise<void> => {
    clearTimeout(idle);
    const stopped = child;
    child = undefined;
    if (!stopped || stopped.exitCode !== null || stopped.signalCode !== null) return;
    stopped.ref();
    const gone = once(stopped, "exit");
    stopped.kill("SIGKILL");
    await gone;
  };
  const drawNext = async (job: DrawJob): Promise<Drawn> => {
    clearTimeout(idle);
    child ??= startChild();
    const answer = await ask(child, job, timeMaxMs).catch((error: unknown) => ({
      failure: String(error),
      isLost: true,
    }));
    if ("failure" in answer) {
      if ("isLost" in answer) await stop();
      throw new Error(`a PDF could not be drawn: ${answer.failure}`);
    }
    memoryBytes = answer.memoryBytes;
    if (memoryBytes > memoryMaxBytes) await stop();
    else idle = setTimeout(() => void stop(), IDLE_MAX_MS).unref();
    return answer.drawn;
  };
  return {
    draw: (job) => {
      const turn = last.then(() => drawNext(job));
      last = turn.catch(() => undefined);
      return turn;
    },
    memoryBytes: () => memoryBytes,
    close: async () => {
      await stop();
      await last;
      await stop();
    },
  };
}

function startChild(): ChildProcess {
  const child = fork(programPath("renderProcess"), [], {
    env: {},
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // The child must not keep a process alive that has nothing else to do.
  child.unref();
  child.channel?.unref();
  return child;
}

async function ask(child: ChildProcess, job: DrawJob, timeMaxMs: number): Promise<DrawAnswer> {
  const settled = new AbortController();
  const { signal } = settled;
  const answered = once(child, "message", { signal }).then(([answer]) => answer as DrawAnswer);
  const ended = once(child, "exit", { signal }).then(() => Promise.reject(new Error("its process ended")));
  const late = wait(timeMaxMs, undefined, { signal, ref: false }).then(() =>
    Promise.reject(new Error(`it took more than ${timeMaxMs} ms`)),
  );
  child.ref();
  child.channel?.ref();
  try {
    child.send(job);
    return await Promise.race([answered, ended, late]);
  } finally {
    settled.abort();
    child.unref();
    child.channel?.unref();
  }
}
