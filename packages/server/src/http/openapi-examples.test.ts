// Examples of the API description are real requests and responses, so they are what the schemas describe.

import { Errors } from "typebox/schema";
import { expect, test } from "vitest";
import { resolveRefs } from "../testing/resolve-refs.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { type Document, operationsOf } from "./openapi-names.ts";

const { app } = await startTallystick();
const document: Document = resolveRefs((await app.inject("/openapi.json")).json());

type Shown = { name: string; schema: object; example: unknown };

/** The request and the responses of each operation. */
const shown: Shown[] = operationsOf(document.paths).flatMap(({ operationId, requestBody, responses }) =>
  [["request", requestBody] as const, ...Object.entries(responses)].flatMap(([part, described]) =>
    Object.values(described?.content ?? {}).map(({ schema = {}, example }) => ({
      name: `${operationId} ${part}`,
      schema,
      example,
    })),
  ),
);

test("every request and response has an example", () => {
  const without = shown.filter(({ example }) => example === undefined).map(({ name }) => name);
  // The first answer is empty, because the file is not made yet.
  expect(without.sort()).toEqual(["downloadInvoice 200", "downloadInvoicePdf 200"]);
});

test("examples are what their schemas describe", () => {
  const faults = shown
    .filter(({ example }) => example !== undefined)
    .flatMap(({ name, schema, example }) => {
      const [isFine, errors] = Errors(schema, example);
      return isFine ? [] : [`${name}: ${JSON.stringify(errors).slice(0, 300)}`];
    });
  expect(faults).toEqual([]);
});

test("an example that its schema does not describe is noticed", () => {
  const { schema = {} } = shown.find(({ name }) => name === "getTax 200") ?? {};
  expect(Errors(schema, { tax: { name: 1 } })[0]).toBe(false);
});
