/** Every refusal of the API: status, code, meaning and what to do. */
import { UNAUTHORIZED_CODES } from "../../packages/server/src/http/auth.ts";
import { STATUSES } from "../../packages/server/src/http/statuses.ts";
import { VALIDATION_CODES } from "../../packages/server/src/http/validation-codes.ts";
import { ERROR_CATALOGS } from "../../packages/server/src/main/error-catalogues.ts";
import { PERMISSION_RESOURCES } from "../../packages/server/src/modules/accounts/index.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

type Row = readonly [name: string, meaning: string, whatToDo: string];

const CODES_OF_THE_API: readonly (readonly [status: string, ...row: Row])[] = [
  ...UNAUTHORIZED_CODES.map(({ code, message }) => ["401", code, ...sentences(message)] as const),
  [
    "401",
    "sign_in_refused",
    "The mail address or the password is wrong.",
    "Check both, or replace the password at `POST /session/password-resets`.",
  ],
  ["405", "method_not_allowed", "The path does not have this method.", "Use one of the methods in the header `Allow`."],
  ["404", "resource_not_found", "The path does not exist.", "Look it up in the [reference](openapi.json)."],
  [
    "422",
    "validation_errors",
    "One or more members are wrong.",
    "See `error_details`, and the codes of members below.",
  ],
  [
    "429",
    "rate_limited",
    "Too many requests a second with this key, or without a key that works from this address.",
    "Wait for `Retry-After` seconds.",
  ],
  [
    "429",
    "too_many_attempts",
    "A mail address or a network has tried to sign in too often.",
    "Wait a minute, and try again.",
  ],
  ["429", "too_many_at_once", "The key has too many requests under way.", "Wait for an answer before the next."],
];

const FORM = `\`\`\`json
{
  "status": 422,
  "error": "Unprocessable Entity",
  "code": "validation_errors",
  "message": "plan.charges[1].propertees: This operation does not know the member. Did you mean \\"properties\\"?",
  "request_id": "019a8a0e-6f7c-7c3e-9a3d-2f6a4b1c5d60",
  "docs_url": "https://github.com/tallystick/tallystick/blob/main/docs/reference/errors.md#unknown_member",
  "error_details": { "propertees": ["unknown_member"] },
  "errors": [
    {
      "path": "plan.charges[1].propertees",
      "code": "unknown_member",
      "message": "This operation does not know the member. Did you mean \\"properties\\"?"
    }
  ]
}
\`\`\``;

export function describeErrors(): string {
  return page(
    GENERATED,
    "# Errors",
    `An error is a JSON object. For people it has a \`message\`, which says what is wrong and what to do, a \`request_id\` to report, and
\`docs_url\`. For programs it has \`status\`, \`error\`, the name of the status, and mostly a \`code\`. A 422 about members of the request has
\`errors\`: for each fault the \`path\` of the member, its \`code\`, a \`message\`, and where they help \`allowed\` values and \`limit\`s.
\`error_details\` lists the same codes by the innermost name of each member.`,
    FORM,
    "## Statuses",
    table(
      ["Status", "Meaning", "What to do"],
      Object.entries(STATUSES).map(([status, { meaning, whatToDo }]) => [anchored(status, status), meaning, whatToDo]),
    ),
    "## Codes of every endpoint",
    table(
      ["Code", "Status", "Meaning", "What to do"],
      CODES_OF_THE_API.map(([status, name, meaning, whatToDo]) => [
        anchored(name, code(name)),
        status,
        meaning,
        whatToDo,
      ]),
    ),
    "## Codes of members, in `error_details`",
    catalogTable(VALIDATION_CODES),
    ...Object.entries(ERROR_CATALOGS).flatMap(([resource, catalog]) => [`## ${resource}`, catalogTable(catalog)]),
    ...permissions(),
  );
}

/** `docs_url` of an error leads here. Of a code that several resources have, browsers take the first. */
const anchored = (id: string, shown: string): string => `<a id="${id}"></a>${shown}`;

/** What it means, and the rest: what to do. */
function sentences(message: string): [meaning: string, whatToDo: string] {
  const end = message.indexOf(". ") + 1;
  return [message.slice(0, end), message.slice(end + 1)];
}

function catalogTable(catalog: Record<string, { status: number; meaning: string }>): string {
  const rows = Object.entries(catalog).map(([name, { status, meaning }]) => [
    anchored(name, code(name)),
    String(status),
    meaning,
  ]);
  return table(["Code", "Status", "Meaning, and what to do"], rows);
}

function permissions(): string[] {
  const refused = (action: string, resource: string) => code(`${action}_action_not_allowed_for_${resource}`);
  return [
    "## Permissions of a key",
    `[Permissions](permissions.md) lists the operations of each permission. Without it the answer is 403 with one of these codes. Use
another key, or create one with that permission. Some resources in this list have no endpoints yet.`,
    table(
      ["Resource", "Without read", "Without write"],
      PERMISSION_RESOURCES.map((resource) => [code(resource), refused("read", resource), refused("write", resource)]),
    ),
  ];
}
