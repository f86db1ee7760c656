/** What a command reads and writes, so that a test can stand in for the terminal. */

export type Io = {
  /** Results, one line at a time. */
  out: (line: string) => void;
  /** Progress, questions and errors. */
  err: (line: string) => void;
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadableStream;
  /** Whether a person can answer questions. */
  isInteractive: boolean;
  /** Calls once, at Ctrl+C or SIGTERM. */
  onStop: (stop: () => void) => void;
};

/** What commands leave behind. Undefined: a program of the service sets the exit code. */
export type Outcome = { code: number | undefined };

export type Context = {
  io: Io;
  /** As they were given. */
  args: readonly string[];
  outcome: Outcome;
};

export function processIo(): Io {
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    env: process.env,
    stdin: process.stdin,
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    onStop: (stop) => {
      process.once("SIGINT", stop);
      process.once("SIGTERM", stop);
    },
  };
}
