/** Puts examples into the API description: real requests and responses, recorded by `npm run generate`. */
import { type Document, operationsOf, type Response } from "./openapi-names.ts";

export type Examples = {
  /** By the id of the operation. */
  requests: Readonly<Record<string, unknown>>;
  /** By the name of a shared response, or else by the id of the operation. */
  responses: Readonly<Record<string, unknown>>;
};

export function withExamples(document: Document, { requests, responses }: Examples): Document {
  for (const operation of [...operationsOf(document.paths), ...operationsOf(document.webhooks)]) {
    const { operationId = "", requestBody } = operation;
    show(requestBody?.content, requests[operationId]);
    show(operation.responses["200"]?.content, responses[operationId]);
  }
  for (const [name, response] of Object.entries(document.components.responses ?? {}))
    show(response.content, responses[name]);
  return document;
}

function show(content: Response["content"], example: unknown): void {
  const [media] = Object.values(content ?? {});
  if (media && example !== undefined) media.example = example;
}
