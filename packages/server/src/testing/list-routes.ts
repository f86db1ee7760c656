/** Every route of the router, documented or not. */
import type { FastifyInstance } from "fastify";

export type Route = { method: string; path: string };

/** Routes under /api/v1, relative to it. HEAD is left out if it only accompanies GET. */
export function listApiRoutes(app: FastifyInstance): Route[] {
  return listRoutes(app)
    .filter(({ method, path }) => path.startsWith("/api/v1/") && method !== "HEAD")
    .map(({ method, path }) => ({ method, path: path.slice("/api/v1".length) }));
}

/** Reads the tree that Fastify prints: four characters a level, the methods in brackets. */
function listRoutes(app: FastifyInstance): Route[] {
  const branch: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const [, indent = "", part = "", methods = ""] = /^(.*?[├└]── )(\S*)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
      if (indent === "") throw new Error(`not a line of the route tree: ${line}`);
      branch.length = indent.length / 4 - 1;
      branch.push(part);
      const path = branch.join("");
      return methods === "" ? [] : methods.split(", ").map((method) => ({ method, path }));
    });
}
