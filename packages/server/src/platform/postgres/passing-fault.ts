/** Thrown where the same work may succeed when it is done again, because what it was based on changed meanwhile. */
export class PassingFault extends Error {}

/** No connection, or it broke, or the server is short of something. What was asked may be done or not: a safe request can be sent again. */
export function isPassingFault(error: unknown): boolean {
  if (error instanceof PassingFault) return true;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === "string") return /^((08|53|57)...|E[A-Z]+)$/.test(code);
  return /^(Connection terminated|timeout exceeded when|Client has encountered a connection error)/.test(
    String(message),
  );
}
