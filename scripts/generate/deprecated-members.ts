/** The removed members that a setting restores, from the table that adds them. */
import { DEPRECATED_MEMBERS, type DeprecatedMember } from "../../packages/server/src/modules/compatibility/index.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

export const describeDeprecatedMembers = (): string =>
  page(
    GENERATED,
    "# Deprecated members",
    `These members were removed on 2024-07-09. The service neither reads nor sends them, and the [API description](openapi.json) omits them. An
organization can turn them on: \`PUT /api/v1/organizations\` with \`{"organization": {"include_deprecated_fields": true}}\`. Every answer and webhook
about such an object then has them, beside their replacements. Requests accept some of them. If a request has both, the replacement
counts. Turn the setting off when nothing uses these members any more.`,
    table(
      ["Member", "Use instead", "In requests it sets"],
      DEPRECATED_MEMBERS.map((row) => [code(`${row.object}.${row.deprecated}`), substituteOf(row), takenAs(row)]),
    ),
    `Dates are days in UTC. \`vat_rate\` is the sum of the rates of all taxes that apply. In a request it assigns the oldest tax with that rate to
a customer. For an organization it cannot change. The id of a group is its content, such as \`region=eu\`, also in requests.

A \`fee\` appears by itself, in invoices and in credit notes. A \`charge\` appears in plans, a \`charge_usage\` in
\`customer_usage.charges_usage\`. The webhook \`event.error\` and \`GET /api/v1/billable_metrics/{code}/groups\` stay removed.`,
  );

const substituteOf = ({ object, substitute }: DeprecatedMember): string =>
  substitute === null ? "none" : code(`${object}.${substitute}`);

const takenAs = ({ take }: DeprecatedMember): string => (take ? (take.as === null ? "unchanged" : code(take.as)) : "");
