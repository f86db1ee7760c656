/** The API description that the service serves at /openapi.json, with sorted paths. */
import type { composeApi } from "../../packages/server/src/main/compose.ts";

type Api = Awaited<ReturnType<typeof composeApi>>;

const METHODS = ["get", "post", "put", "patch", "delete"];

export async function describeOpenApi(app: Api): Promise<string> {
  await app.ready();
  const { paths = {}, ...description } = app.swagger() as { paths?: Record<string, Record<string, unknown>> };
  const sorted = Object.keys(paths).sort();
  const inOrder = sorted.map((path) => [path, methodsInOrder(paths[path] ?? {})]);
  return `${JSON.stringify({ ...description, paths: Object.fromEntries(inOrder) }, null, 2)}\n`;
}

function methodsInOrder(operations: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(operations).sort((a, b) => METHODS.indexOf(a) - METHODS.indexOf(b));
  return Object.fromEntries(names.map((name) => [name, operations[name]]));
}
