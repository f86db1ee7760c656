/** How our processes start and stop: in order, with readable messages, and leaving nothing behind. */
import { readFileSync } from "node:fs";
import { Problem } from "../http/problem.ts";
import { isRunByNpm } from "./config.ts";

const STOP_WITHIN_MS = 4_500;
const PARENT_CHECK_EVERY_MS = 250;

type Stop = () => Promise<void>;
export type OnStop = (stop: Stop) => void;

/**
 * Runs until SIGTERM or SIGINT. `start` registers how to stop each thing that it has started. They are stopped in reverse order, on a
 * signal as well as if a later step fails. After five seconds the process gives up and ends with exit code 1.
 */
export async function runUntilStopped(start: (onStop: OnStop) => Promise<void>): Promise<void> {
  const stops: Stop[] = [];
  let isStarting = true;
  let isStopping = false;
  const stopAll = async (exitCode: number): Promise<void> => {
    try {
      for (const stop of stops.splice(0).reverse()) await stop();
    } catch (error) {
      tell(error);
      process.exit(1);
    }
    process.exit(exitCode);
  };
  const onSignal = (): void => {
    // npm and the terminal both forward the signal, so it arrives twice.
    if (isStopping) return;
    isStopping = true;
    setTimeout(giveUp, STOP_WITHIN_MS).unref();
    if (!isStarting) void stopAll(0);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  if (isRunByNpm()) watchParent(onSignal);

  try {
    await start((stop) => {
      stops.push(stop);
      if (isStopping) throw new Error("stopped while it was starting");
    });
    isStarting = false;
    if (isStopping) await stopAll(0);
  } catch (error) {
    if (!isStopping) tell(error);
    await stopAll(isStopping ? 0 : 1);
  }
}

function giveUp(): void {
  console.error(
    `Work was still under way ${STOP_WITHIN_MS / 1000} seconds after the signal, and was given up. What was answered is stored; the rest is done again.`,
  );
  process.exit(1);
}

/** npm sends a signal to its shell, which ends without forwarding it. Then the end of our parent process is all that we notice. */
function watchParent(onEnd: () => void): void {
  const parent = process.ppid;
  const wasOrphaned = parent === 1 && !commandOfInit().startsWith("npm");
  setInterval(() => {
    if (wasOrphaned || process.ppid !== parent) onEnd();
  }, PARENT_CHECK_EVERY_MS).unref();
}

/** In a container, npm can be process 1, and then it is our real parent. Elsewhere, process 1 adopts orphans. */
function commandOfInit(): string {
  try {
    return readFileSync("/proc/1/cmdline", "utf8");
  } catch {
    return "";
  }
}

/** For a command: prints a readable message instead of a stack. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    tell(error);
    process.exitCode = 1;
  }
}

function tell(error: unknown): void {
  console.error(inWords(error));
  if (error instanceof Error && error.cause) console.error(inWords(error.cause));
  if (lacksRole(error))
    console.error("Is this the right login? See docs/guides/operations.md, Logins of the database.");
  if (isFromPooler(error))
    console.error(
      "DATABASE_URL leads to a pooler: let it lead to Postgres itself, and name the pooler in DATABASE_POOLER_URL.",
    );
  if (lacksMigrations(error)) console.error('Is this the right database, and is it migrated? Run "npm run migrate".');
}

/** A name with several addresses fails once for each, and the error that wraps those failures has no message of its own. */
function inWords(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(inWords).join("\n");
  const { code, port } = (error ?? {}) as { code?: string; port?: number };
  if (code === "EADDRINUSE") return `Port ${port} is in use by another program. Stop that one, or choose another port.`;
  if (error instanceof Problem) return error.body.message ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** Of a login that is not a member of the role that its connections need. */
const lacksRole = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('permission denied to set role "tallystick_');

/** The Postgres error codes for missing roles, tables or schemas. */
const lacksMigrations = (error: unknown): boolean =>
  ["22023", "42P01", "3F000"].includes((error as { code?: string } | null)?.code ?? "");

/** PgBouncer does not pass on the options that set role and limits. */
const isFromPooler = (error: unknown): boolean =>
  (error as { message?: string } | null)?.message?.startsWith("unsupported startup parameter") ?? false;
