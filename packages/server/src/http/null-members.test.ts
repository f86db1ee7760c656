import { expect, test } from "vitest";
import { inLanes, put } from "../testing/request-fields.ts";
import { resolveRefs } from "../testing/resolve-refs.ts";
import { SAMPLES, toPath } from "../testing/sample-requests.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

type Path = readonly (string | number)[];
type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
};
type Method = "POST" | "PUT";

const { app, call } = await startTallystick();
const { paths } = resolveRefs((await app.inject("/openapi.json")).json());

/** Every member of a body below its envelope, including members that contain others. */
function placesIn(value: unknown, path: Path = []): Path[] {
  const here = path.length > 1 && typeof path.at(-1) === "string" ? [path] : [];
  if (typeof value !== "object" || value === null) return here;
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [...here, ...members.flatMap(([name, member]) => placesIn(member, [...path, name]))];
}

/** The schemas of a member: more than one if it is in several branches of a union. */
function schemasAt(schema: Schema, [first, ...rest]: Path): Schema[] {
  if (first === undefined) return [schema];
  const inner = typeof first === "number" ? schema.items : schema.properties?.[first];
  return [
    ...(inner ? schemasAt(inner, rest) : []),
    ...(schema.anyOf ?? []).flatMap((each) => schemasAt(each, [first, ...rest])),
  ];
}

const allowsNull = ({ type, anyOf }: Schema): boolean =>
  [type ?? []].flat().includes("null") && (!anyOf || anyOf.some(allowsNull));

test("a member that takes null is described as one that does", { timeout: 120_000 }, async () => {
  const undescribed: string[] = [];
  const routes = Object.entries(SAMPLES).filter(([, { body }]) => body);
  await inLanes(routes, 4, async ([name, { given, body }]) => {
    const [method = "", path = ""] = name.split(" ");
    const operation = paths[`/api/v1${path.replace(/:(\w+)/g, "{$1}")}`][method.toLowerCase()];
    const schema: Schema = operation.requestBody.content["application/json"].schema;
    for (const [index, place] of placesIn(body?.("", {})).entries()) {
      const schemas = schemasAt(schema, place);
      if (schemas.length === 0) continue;
      // Fresh records, so that only the null can be the reason for a refusal.
      const mark = `${name} ${index}`;
      const named = (await given?.(call, mark)) ?? {};
      const { status } = await call(method as Method, toPath(path, named), put(body?.(mark, named), place, null));
      if (status === 200 && !schemas.some(allowsNull)) undescribed.push(`${name}: ${place.join(".")}`);
    }
  });
  expect(undescribed).toEqual([]);
});
