/** Completes the body of a refusal: sentences that say what is wrong and what to do, with the values and limits that a member takes. */
import { renamed, renamePath } from "./field-prefix.ts";
import { type Known, namesBeside } from "./known-members.ts";
import { nearestOf } from "./nearest.ts";
import { type ErrorBody, type ErrorEntry, FAULTS_MAX, innermostOf, type Limit } from "./problem.ts";
import { sentencesOf } from "./statuses.ts";

/** The meaning of a code, and what to do. Where several resources have the code, the tag of the operation decides. */
export type MeaningOf = (code: string, tag: string | undefined) => string | undefined;

const ERROR_REFERENCE = "https://github.com/tallystick/tallystick/blob/main/docs/reference/errors.md";

/** More values than these are not listed in a sentence; `allowed` has them all. */
const LISTED_MAX = 20;

type Schema = {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: readonly Schema[];
  "x-described"?: Schema;
} & Limit;

export type ErrorContext = {
  meaningOf: MeaningOf;
  requestId: string;
  /** What members such as `svc_id` begin with for the caller. */
  prefix: string;
  /** Of the route. */
  schema?: { body?: unknown; querystring?: unknown; tags?: readonly string[] } | undefined;
  known?: { body: Known | null; query: readonly string[] } | undefined;
};

export function completeBody(body: ErrorBody, context: ErrorContext) {
  const errors = body.errors?.map((entry) => completeEntry(entry, context));
  const { status, error, code, error_details } = body;
  return {
    status,
    error,
    ...(code === undefined ? {} : { code }),
    message: body.message ?? messageOf(body, errors ?? [], context),
    request_id: context.requestId,
    docs_url: `${ERROR_REFERENCE}#${code === "validation_errors" ? (errors?.[0]?.code ?? code) : (code ?? status)}`,
    ...(error_details ? { error_details: renameDetails(error_details, body.errors ?? [], context.prefix) } : {}),
    ...(errors ? { errors } : {}),
  };
}

/** The keys are the innermost names of the paths. Those of a list of records are indexes, with such keys inside. */
function renameDetails(details: object, errors: readonly ErrorEntry[], prefix: string): object {
  const names = new Map(errors.map(({ path }) => [innermostOf(path), innermostOf(renamePath(path, prefix))]));
  const rename = (value: object): object =>
    Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, inner]) => [names.get(name) ?? name, rename(inner)]));
  return rename(details);
}

function messageOf(
  { status, code }: ErrorBody,
  errors: readonly Required<Pick<ErrorEntry, "path" | "message">>[],
  context: ErrorContext,
): string {
  const [first, ...others] = errors;
  if (!first) return explain(code ?? "", context) ?? sentencesOf(status);
  const sentence = `${first.path}: ${first.message}`;
  if (others.length === 0) return sentence;
  const count =
    errors.length === FAULTS_MAX
      ? `${FAULTS_MAX} members or more are wrong; "errors" lists the first`
      : `${errors.length} members are wrong; "errors" lists them`;
  return `${count}. ${sentence}`;
}

const explain = (code: string, { meaningOf, schema }: ErrorContext): string | undefined =>
  meaningOf(code, schema?.tags?.[0]);

function completeEntry(entry: ErrorEntry, context: ErrorContext) {
  const { prefix, schema, known } = context;
  const path = fullPath(entry.path, known?.body ?? null);
  const member = schemaAt(schema?.body, path);
  const found = member ?? parameterAt(schema?.querystring, path);
  const allowed = (found?.enum ?? (member ? undefined : found?.items?.enum))?.filter((value) => value !== null);
  const limit = limitOf(found);
  const type = found && !member ? "the parameter once, with one value" : typeOf(found);
  const hint =
    entry.message ??
    (entry.code === "unknown_member"
      ? explainUnknown(path, known, prefix)
      : hintFor(entry.code, { type, allowed, limit, description: found?.description }));
  return {
    path: renamePath(path, prefix),
    code: entry.code,
    message: hint ?? explain(entry.code, context) ?? sentencesOf(422),
    ...(allowed && hint !== undefined ? { allowed } : {}),
    ...(limit && hint !== undefined ? { limit } : {}),
  };
}

/** A module names members of its record; the path starts at the body, which wraps the record in its name. */
function fullPath(path: string, body: Known | null): string {
  const [envelope, ...others] = body?.members ?? [];
  const [first = ""] = path.split(/[.[]/);
  if (!envelope || others.length > 0 || first === envelope[0]) return path;
  return envelope[1].members?.has(first) ? `${envelope[0]}.${path}` : path;
}

function schemaAt(schema: unknown, path: string): Schema | undefined {
  return stepsOf(path).reduce<Schema | undefined>(
    (inside, step) => {
      const { "x-described": described, anyOf, ...own } = inside ?? {};
      const branches = described ? [described] : anyOf ? anyOf : [own as Schema];
      const found = branches.map((one) => (/^\d+$/.test(step) ? one.items : one.properties?.[step]));
      return found.find((one) => one !== undefined);
    },
    schema as Schema | undefined,
  );
}

/** A name can end in brackets, which are part of it: `status[]`. Those with a number are the place of a value in a list. */
function parameterAt(schema: unknown, path: string): Schema | undefined {
  const { properties } = (schema ?? {}) as Schema;
  return properties?.[path] ?? properties?.[path.replace(/\[\d+\]$/, "")];
}

const stepsOf = (path: string): string[] =>
  path
    .replace(/^\[/, "")
    .split(/[.[]/)
    .map((step) => step.replace("]", ""));

function explainUnknown(path: string, known: ErrorContext["known"], prefix: string): string {
  const steps = stepsOf(path);
  const parameters = known?.query ?? [];
  const isParameter = !known?.body?.members?.size;
  const beside = isParameter ? parameters : namesBeside(steps, known?.body ?? { members: null, items: null });
  const nearest = nearestOf(isParameter ? path : (steps.at(-1) ?? ""), beside);
  const didYouMean = nearest === undefined ? "" : ` Did you mean "${renamed(nearest, prefix)}"?`;
  if (!isParameter) return `This operation does not know the member.${didYouMean}`;
  if (parameters.length === 0) return "This operation takes no query parameters.";
  return `This operation does not know the parameter.${didYouMean} It takes: ${parameters.map((name) => renamed(name, prefix)).join(", ")}.`;
}

function limitOf({ minimum, maximum, minLength, maxLength }: Schema = {}): Limit | undefined {
  const limit = { minimum, maximum, minLength, maxLength };
  const present = Object.entries(limit).filter(([, value]) => value !== undefined);
  return present.length > 0 ? (Object.fromEntries(present) as Limit) : undefined;
}

const TYPES: Record<string, string> = {
  string: "a text in quotes",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** undefined also where several types are taken. */
function typeOf({ type }: Schema = {}): string | undefined {
  const [only, ...others] = [type ?? []].flat().filter((one) => one !== "null");
  return others.length === 0 ? TYPES[only ?? ""] : undefined;
}

type Hints = {
  type: string | undefined;
  allowed: readonly unknown[] | undefined;
  limit: Limit | undefined;
  description: string | undefined;
};

/** What this member takes; undefined: nothing beyond the meaning of the code. */
function hintFor(code: string, { type, allowed, limit, description }: Hints): string | undefined {
  if (code === "value_is_invalid" && allowed) return `Send one of: ${listed(allowed)}.`;
  if (code === "unsupported_value" && allowed) return `Send only: ${listed(allowed)}.`;
  if (code === "value_is_invalid" && type) return `The value is not valid. Send ${type}.`;
  if (code === "value_is_out_of_range" && (limit?.minimum ?? limit?.maximum) !== undefined)
    return `Send a number${bound("from", limit?.minimum)}${bound("up to", limit?.maximum)}.`;
  if (code === "value_is_too_long" && limit?.maxLength !== undefined)
    return `The text is too long. Send at most ${limit.maxLength} characters.`;
  if (code === "value_is_too_short" && limit?.minLength !== undefined)
    return `The text is too short. Send at least ${limit.minLength} characters.`;
  if ((code === "value_is_invalid" || code === "value_is_out_of_range") && description !== undefined)
    return `The value is not valid here. What it takes: ${description.replace(/\.$/, "")}.`;
  return undefined;
}

const bound = (words: string, value: number | undefined): string => (value === undefined ? "" : ` ${words} ${value}`);

const listed = (values: readonly unknown[]): string =>
  values.length > LISTED_MAX ? `${values.slice(0, LISTED_MAX).join(", ")}, …` : values.join(", ");
