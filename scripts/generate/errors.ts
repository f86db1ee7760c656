/** Every refusal of the API: its status, its code, what it means and what to do. */
import { VALIDATION_CODES } from "../../packages/server/src/http/validation-codes.ts";
import { ERROR_CATALOGUES } from "../../packages/server/src/main/error-catalogues.ts";
import { PERMISSION_RESOURCES } from "../../packages/server/src/modules/accounts/index.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

type Row = readonly [name: string, meaning: string, whatToDo: string];

const STATUSES: readonly Row[] = [
  ["400", "The body is no JSON, is nested too deep, or lacks the member that wraps the payload.", "Mend the body."],
  ["401", "There is no key, or it is unknown, expired or revoked.", "Send `Authorization: Bearer tsk_…`."],
  ["403", "The key lacks the permission, or the organization the feature.", "Look up the code below."],
  ["404", "No such record in this organization, or no such path.", "Look up the code below."],
  ["405", "The state of the record does not allow this.", "Look up the code below."],
  ["408", "The request did not arrive in time.", "Send it again."],
  ["413", "The body is larger than the service takes.", "Send less at once."],
  ["414", "The URL is longer than the service takes.", "Shorten it."],
  ["415", "The body is not declared as JSON.", "Send `Content-Type: application/json`."],
  ["422", "A member of the body is wrong.", "`error_details` names the member and says how; look up the code below."],
  ["429", "Too many requests a second with this key.", "Wait for `Retry-After` seconds and send it again."],
  ["431", "The headers are larger than the service takes.", "Send fewer headers."],
  ["500", "A fault of the service. It is logged under the `X-Request-Id` of the answer.", "Report it with that id."],
  ["503", "The database is busy or away.", "Wait for `Retry-After` seconds and send it again."],
];

const CODES_OF_THE_API: readonly (readonly [status: string, ...row: Row])[] = [
  ["404", "resource_not_found", "There is nothing at this path.", "Compare it with the [reference](openapi.json)."],
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
    `An answer that is no success is a JSON object with \`status\` and \`error\`, the name of the status. Where a program may
want to tell cases apart it has a \`code\`, and a 422 about members of the body has \`error_details\`: for each member, by
its innermost name, a list of codes.`,
    FORM,
    "## Statuses",
    table(["Status", "Meaning", "What to do"], STATUSES),
    "## Codes of every endpoint",
    table(
      ["Code", "Status", "Meaning", "What to do"],
      CODES_OF_THE_API.map(([status, name, meaning, whatToDo]) => [code(name), status, meaning, whatToDo]),
    ),
    "## Codes of members, in `error_details`",
    catalogueTable(VALIDATION_CODES),
    ...Object.entries(ERROR_CATALOGUES).flatMap(([resource, catalogue]) => [
      `## ${resource}`,
      catalogueTable(catalogue),
    ]),
    ...permissions(),
  );
}

function catalogueTable(catalogue: Record<string, { status: number; meaning: string }>): string {
  const rows = Object.entries(catalogue).map(([name, { status, meaning }]) => [code(name), String(status), meaning]);
  return table(["Code", "Status", "Meaning, and what to do"], rows);
}

function permissions(): string[] {
  const refused = (action: string, resource: string) => code(`${action}_action_not_allowed_for_${resource}`);
  return [
    "## Permissions of a key",
    `A key may do everything, or what it was made for: \`npm run keys -- create … --permissions customer:read,tax:read+write\`.
GET needs \`read\`, the other methods need \`write\`. Without it the answer is 403 with one of these codes: use another key, or
make one with that permission. A resource can be named here before the service has endpoints for it.`,
    table(
      ["Resource", "Without read", "Without write"],
      PERMISSION_RESOURCES.map((resource) => [code(resource), refused("read", resource), refused("write", resource)]),
    ),
  ];
}
