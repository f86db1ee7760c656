/**
 * Ends promptly while clients keep their connections open. The server closes only the connections that are idle when it begins to close; one
 * whose request is under way at that moment would stay open for as long as its client likes.
 */
import type { FastifyInstance } from "fastify";

const SWEEP_EVERY_MS = 50;

export function closePromptly(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
    const { server } = app;
    if (!server.listening) return;
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS).unref();
    server.once("close", () => clearInterval(sweep));
  });
  // Its client opens the next connection to another process, instead of losing a request on this one.
  app.addHook("onSend", async (_request, reply) => {
    if (isClosing) reply.header("Connection", "close");
  });
}
