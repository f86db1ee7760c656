/** Messages: the API's query and response. */
import { Type } from "@fastify/type-provider-typebox";
import { id, instant } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES, refused } from "../../../http/openapi.ts";
import { invalidMembers } from "../../../http/problem.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;
const LATEST = "latest";

const message = namedObject("Message", {
  svc_id: id("The same as in the header `webhook-id` of its webhooks"),
  webhook_type: Type.String({ examples: ["invoice.created"] }),
  object_type: Type.String({ examples: ["invoice"] }),
  created_at: instant(),
  payload: Type.String({ description: "The exact text that webhooks carry: JSON with `webhook_type` and the object" }),
});

export const listMessages = {
  summary: "Read published messages in order",
  description:
    "What webhooks carry, for programs that no webhook reaches. Keep `next_cursor` and send it as `after` to read on: nothing is missed or shown " +
    "twice. Messages appear when they are dispatched, usually within a second, and stay for `WEBHOOK_RETENTION_DAYS`.",
  tags: ["Webhooks"],
  querystring: Type.Object({
    after: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          "The `next_cursor` of the last page. `latest` shows no message, and the cursor of the end. By default, from the oldest.",
      }),
    ),
    limit: Type.Optional(
      Type.Unsafe<unknown>({
        "x-type": "integer",
        description: `Messages per page. Default ${LIMIT_DEFAULT}, at most ${LIMIT_MAX}. A page of large messages has fewer.`,
      }),
    ),
  }),
  response: {
    200: Type.Object(
      {
        messages: Type.Array(message),
        meta: namedObject("MessagesMeta", {
          next_cursor: Type.String({ description: "Where to read on, also if there are no messages yet" }),
          has_more: Type.Boolean({ description: "Whether there are more messages now" }),
        }),
      },
      { description: "The next messages" },
    ),
    ...ERROR_RESPONSES,
    410: refused(410, "Messages after this cursor were deleted.", {
      code: "cursor_expired",
      message: "Messages after this cursor were deleted. Go on with `after=latest`.",
    }),
  },
};

const CURSOR = /^m(\d{1,18})$/;
const BAD_CURSOR =
  "This is no cursor of the messages. Send the `next_cursor` of a page, or `latest`, or leave `after` out.";
const BAD_LIMIT = `Send a whole number from 1 to ${LIMIT_MAX}.`;

export const writeCursor = (position: bigint): string => Buffer.from(`m${position}`).toString("base64url");

/** null: from the oldest. */
export function readAfter(after: string | undefined): bigint | "latest" | null {
  if (after === undefined || after === "") return null;
  if (after === LATEST) return "latest";
  const [, position] = CURSOR.exec(Buffer.from(after, "base64url").toString()) ?? [];
  if (position === undefined) throw invalidMembers([{ path: "after", code: "value_is_invalid", message: BAD_CURSOR }]);
  return BigInt(position);
}

export function readLimit(limit: unknown): number {
  if (limit === undefined) return LIMIT_DEFAULT;
  const number = typeof limit === "string" && /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (number >= 1 && number <= LIMIT_MAX) return number;
  throw invalidMembers([{ path: "limit", code: "value_is_invalid", message: BAD_LIMIT }]);
}
