/** What goes wrong, in words. */
import { TallystickError } from "@tallystick/client";

/** The command was called in a way that cannot work. */
export class UsageError extends Error {}

export function inWords(error: unknown): string {
  if (error instanceof TallystickError) {
    const faults = error.faults.filter(({ message }) => !error.message.includes(message));
    const details = faults.map(({ path, message }) => `  ${path}: ${message}`);
    const request = error.requestId ? [`  request ${error.requestId}`] : [];
    const cause = error.status === 0 && error.cause instanceof Error ? [`  ${causeOf(error.cause)}`] : [];
    return [error.message, ...cause, ...details, ...request].join("\n");
  }
  return error instanceof Error ? error.message : String(error);
}

/** The message of `fetch` says only that it failed. */
function causeOf(error: Error): string {
  const inner = error.cause;
  if (inner instanceof AggregateError && inner.message === "") return inner.errors.map(String).join(", ");
  return inner instanceof Error ? inner.message : error.message;
}
