/** Answers paths that do not exist with 404, and methods that a path does not have with 405 and a list of those that it has. */
import type { FastifyInstance } from "fastify";
import type { AnswerPage } from "./browser-pages.ts";
import { refusal } from "./problem.ts";

/** With `answerPage`, what a browser navigates to is a page. */
export function refuseUnknownPaths(app: FastifyInstance, answerPage?: AnswerPage): void {
  const routes: { method: string; segments: readonly string[] }[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    const methods = Array.isArray(method) ? method : [method];
    routes.push(...methods.map((one) => ({ method: one, segments: segmentsOf(url) })));
  });
  app.setNotFoundHandler(async (request, reply) => {
    const page = answerPage?.(request, reply);
    if (page) return page;
    const segments = segmentsOf(request.url.split("?")[0] ?? "");
    const methods = new Set(routes.filter((route) => matches(route.segments, segments)).map(({ method }) => method));
    // With the method, the path differs in a way that matters: it has an empty segment.
    if (methods.size === 0 || methods.has(request.method)) throw refusal(404, "resource_not_found");
    const allow = [...methods].sort().join(", ");
    throw refusal(405, "method_not_allowed", {
      message: `This path does not have the method ${request.method}. It has: ${allow}.`,
      allow,
    });
  });
}

const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "");

const matches = (route: readonly string[], segments: readonly string[]): boolean =>
  route.length === segments.length && route.every((step, index) => step.startsWith(":") || step === segments[index]);
