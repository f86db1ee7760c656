/** The names of operations in the API description. Clients are generated with them, so a name never changes. */
import { pascalCase } from "./openapi-names.ts";

const VERBS: Readonly<Record<string, string>> = { get: "get", post: "create", put: "update", delete: "delete" };

/** `createTax`, `listTaxes`, `voidInvoice`, `loseInvoiceDispute`, `getFeeExplanation`. */
export function operationIdOf(method: string, path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "");
  const last = segments.at(-1) ?? "";
  const parent = segments.slice(0, -1).findLast((segment) => !isParameter(segment));
  if (isParameter(last)) return `${VERBS[method]}${singular(parent ?? "")}`;
  const isList = last.endsWith("s");
  if (method === "get") return isList ? `list${pascalCase(last)}` : `get${singular(parent ?? "")}${pascalCase(last)}`;
  if (isList || parent === undefined) return `${VERBS[method]}${parent ? singular(parent) : ""}${singular(last)}`;
  const [verb = "", ...object] = last.split("_");
  return `${verb}${singular(parent)}${pascalCase(object.join("_"))}`;
}

/** `onInvoiceCreated` for the message `invoice.created`. */
export const webhookIdOf = (messageType: string): string => `on${pascalCase(messageType)}`;

const isParameter = (segment: string): boolean => segment.startsWith("{");

const singular = (plural: string): string => pascalCase(plural.replace(/ies$/, "y").replace(/(?<=x)es$|s$/, ""));
