/** Thrown if the same work may succeed when it is repeated, because the data it was based on changed meanwhile. */
export class PassingFault extends Error {}

/**
 * The connection is missing or broke, or the server is short of a resource. The statement may have run or not; a safe request can be sent
 * again.
 */
export function isPassingFault(error: unknown): boolean {
  if (error instanceof PassingFault) return true;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === "string") return /^((08|53|57)...|E[A-Z]+)$/.test(code);
  return /^(Connection terminated|timeout exceeded when|Client has encountered a connection error)/.test(
    String(message),
  );
}
