/** GET /security_log: how often keys and sign-ins were used and refused. */
import { type FastifyPluginAsyncTypebox, Type } from "@fastify/type-provider-typebox";
import { envelope, formatted, oneOf } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import type { Clock } from "../../../platform/clock.ts";
import { SECURITY_KINDS } from "./count-security.ts";
import { listCounts } from "./store.ts";

const DAYS_SHOWN = 30;

const day = (description: string) => formatted("date", { description, examples: ["2026-01-31"] });

const showSecurityLog = {
  summary: "Show the security log",
  description: "Counts for each day in UTC. A use is in it a few seconds later.",
  tags: ["Activities"],
  querystring: Type.Object({
    from: Type.Optional(day(`The first day. Default: ${DAYS_SHOWN} days before the last`)),
    to: Type.Optional(day("The last day. Default: today")),
  }),
  response: {
    200: envelope(
      "security_log",
      namedObject("SecurityLog", {
        from: day("The first day"),
        to: day("The last day"),
        counts: Type.Array(
          Type.Object({
            day: day("In UTC"),
            kind: oneOf(SECURITY_KINDS, {
              description:
                "`key_used`: a request with an API key. `key_refused`: one with a key that has expired or was revoked. " +
                "`sign_in_succeeded`, `sign_in_failed`: of a person who is a member",
            }),
            count: Type.Integer(),
          }),
          { description: "The newest day first. What did not happen has no entry" },
        ),
      }),
    ),
    ...ERROR_RESPONSES,
  },
};

export const securityLogRoutes =
  ({ clock }: { clock: Clock }): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get("/security_log", { schema: showSecurityLog, config: { permission: "activity" } }, (request) => {
      const { query } = request;
      const to = query.to ? Temporal.PlainDate.from(query.to) : clock.now().toZonedDateTimeISO("UTC").toPlainDate();
      const from = query.from ? Temporal.PlainDate.from(query.from) : to.subtract({ days: DAYS_SHOWN });
      return request.read(async (tx, organizationId) => ({
        security_log: {
          from: String(from),
          to: String(to),
          counts: (await listCounts(tx, organizationId, { from, to })).map((row) => ({
            day: String(row.day),
            kind: row.kind,
            count: Number(row.count),
          })),
        },
      }));
    });
  };
