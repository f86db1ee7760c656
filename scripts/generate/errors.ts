/** Every refusal of the API: status, code, meaning and what to do. */
import { VALIDATION_CODES } from "../../packages/server/src/http/validation-codes.ts";
import { ERROR_CATALOGS } from "../../packages/server/src/main/error-catalogues.ts";
import { PERMISSION_RESOURCES } from "../../packages/server/src/modules/accounts/index.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

type Row = readonly [name: string, meaning: string, whatToDo: string];

const STATUSES: readonly Row[] = [
  [
    "400",
    "The body is not valid JSON, is nested too deeply, or lacks the member that wraps the payload.",
    "Fix the body.",
  ],
  ["401", "The key is missing, unknown, expired or revoked.", "Send `Authorization: Bearer tsk_…`."],
  ["403", "The key lacks the permission, or the organization lacks the feature.", "Look up the code below."],
  ["404", "The organization has no such record, or the path does not exist.", "Look up the code below."],
  ["405", "The state of the record does not allow this.", "Look up the code below."],
  ["408", "The request did not arrive in time.", "Send it again."],
  ["413", "The body is too large.", "Send less in one request."],
  ["414", "The URL is too long.", "Shorten it."],
  ["415", "The body is not declared as JSON.", "Send `Content-Type: application/json`."],
  ["422", "A member of the body is wrong.", "`error_details` names the member and a code; look up the code below."],
  ["429", "Too many requests a second with this key.", "Wait for `Retry-After` seconds and send it again."],
  ["431", "The headers are too large.", "Send fewer headers."],
  ["500", "The service failed. It logged the error with the `X-Request-Id` of the answer.", "Report it with that id."],
  ["503", "The database is busy or not reachable.", "Wait for `Retry-After` seconds and send it again."],
];

const CODES_OF_THE_API: readonly (readonly [status: string, ...row: Row])[] = [
  ["404", "resource_not_found", "The path does not exist.", "Look it up in the [reference](openapi.json)."],
  [
    "422",
    "validation_errors",
    "One or more members are wrong.",
    "See `error_details`, and the codes of members below.",
  ],
  ["429", "rate_limited", "Too many requests a second with this key.", "Wait for `Retry-After` seconds."],
];

const FORM = `\`\`\`json
{
  "status": 422,
  "error": "Unprocessable Entity",
  "code": "validation_errors",
  "error_details": { "timezone": ["invalid_timezone"] }
}
\`\`\``;

export function describeErrors(): string {
  return page(
    GENERATED,
    "# Errors",
    `An error is a JSON object with \`status\` and \`error\`, the name of the status. Most errors have a \`code\` for programs. A 422 about
members of the body has \`error_details\`, which lists codes by the innermost name of each member.`,
    FORM,
    "## Statuses",
    table(["Status", "Meaning", "What to do"], STATUSES),
    "## Codes of every endpoint",
    table(
      ["Code", "Status", "Meaning", "What to do"],
      CODES_OF_THE_API.map(([status, name, meaning, whatToDo]) => [code(name), status, meaning, whatToDo]),
    ),
    "## Codes of members, in `error_details`",
    catalogTable(VALIDATION_CODES),
    ...Object.entries(ERROR_CATALOGS).flatMap(([resource, catalog]) => [`## ${resource}`, catalogTable(catalog)]),
    ...permissions(),
  );
}

function catalogTable(catalog: Record<string, { status: number; meaning: string }>): string {
  const rows = Object.entries(catalog).map(([name, { status, meaning }]) => [code(name), String(status), meaning]);
  return table(["Code", "Status", "Meaning, and what to do"], rows);
}

function permissions(): string[] {
  const refused = (action: string, resource: string) => code(`${action}_action_not_allowed_for_${resource}`);
  return [
    "## Permissions of a key",
    `A key has all permissions unless you limit it: \`npm run keys -- create … --permissions customer:read,tax:read+write\`. GET needs
\`read\`, and the other methods need \`write\`. Without the permission the answer is 403 with one of these codes. Use another key, or create one
with that permission. Some resources in this list have no endpoints yet.`,
    table(
      ["Resource", "Without read", "Without write"],
      PERMISSION_RESOURCES.map((resource) => [code(resource), refused("read", resource), refused("write", resource)]),
    ),
  ];
}
