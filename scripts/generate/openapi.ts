/** The API description that the service serves at /openapi.json, with sorted paths. */
import { type Examples, withExamples } from "../../packages/server/src/http/openapi-examples.ts";
import type { Document } from "../../packages/server/src/http/openapi-names.ts";
import type { composeApi } from "../../packages/server/src/main/compose.ts";

type Api = Awaited<ReturnType<typeof composeApi>>;

const METHODS = ["get", "post", "put", "patch", "delete"];

export function describeOpenApi(app: Api, examples: Examples): string {
  const { paths, ...description } = withExamples(app.swagger() as unknown as Document, examples);
  const sorted = Object.keys(paths).sort();
  const inOrder = sorted.map((path) => [path, methodsInOrder(paths[path] ?? {})]);
  return `${JSON.stringify({ ...description, paths: Object.fromEntries(inOrder) }, null, 2)}\n`;
}

function methodsInOrder(operations: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(operations).sort((a, b) => METHODS.indexOf(a) - METHODS.indexOf(b));
  return Object.fromEntries(names.map((name) => [name, operations[name]]));
}
