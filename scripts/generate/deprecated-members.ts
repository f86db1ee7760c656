/** The members that were removed and can be had with a setting: all of them, from the table that adds them. */
import { DEPRECATED_MEMBERS, type DeprecatedMember } from "../../packages/server/src/modules/compatibility/index.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

export const describeDeprecatedMembers = (): string =>
  page(
    GENERATED,
    "# Deprecated members",
    `These members were removed on 2024-07-09. They are neither read nor sent, and not in the [API description](openapi.json), unless the
organization asks for them: \`PUT /api/v1/organizations\` with \`{"organization": {"include_deprecated_fields": true}}\`. Then they are
in every answer and webhook about such an object, beside their substitutes, and some can be sent. If a request has both, the substitute
counts. Switch it off as soon as nothing uses them any more.`,
    table(
      ["Member", "Use instead", "In requests it sets"],
      DEPRECATED_MEMBERS.map((row) => [code(`${row.object}.${row.deprecated}`), substituteOf(row), takenAs(row)]),
    ),
    `Dates are days in UTC. \`vat_rate\` adds up the rates of all taxes that apply; in a request it gives a customer the oldest tax with that
rate, and of the organization it can only be what it is. Groups have no ids of their own any more: the id of a group says what it holds,
\`region=eu\`, also in requests. A \`fee\` is shown alone, in invoices and in credit notes; a \`charge\` in plans; a \`charge_usage\` in
\`customer_usage.charges_usage\`. The message \`event.error\` and \`GET /api/v1/billable_metrics/{code}/groups\` stay removed.`,
  );

const substituteOf = ({ object, substitute }: DeprecatedMember): string =>
  substitute === null ? "none" : code(`${object}.${substitute}`);

const takenAs = ({ take }: DeprecatedMember): string => (take ? (take.as === null ? "unchanged" : code(take.as)) : "");
