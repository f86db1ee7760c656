/** Describes the webhook messages in the API description. */
import { type TSchema, Type } from "@fastify/type-provider-typebox";
import { webhookIdOf } from "../../../http/openapi-operation-ids.ts";
import type { MessageType, MessageTypes } from "../../../jobs/message-types.ts";

/** The body of a message: its type, and the object under the name of its kind. */
const messageSchema = (webhookType: string, { objectType, schema }: MessageType): TSchema =>
  Type.Object({
    webhook_type: Type.Literal(webhookType),
    object_type: Type.Literal(objectType),
    [objectType]: schema,
  });

/** For the member `webhooks` of the API description. */
export const describeMessages = (types: MessageTypes): Record<string, object> =>
  Object.fromEntries(
    Object.entries(types).map(([webhookType, type]) => [
      webhookType,
      {
        post: {
          operationId: webhookIdOf(webhookType),
          summary: type.when,
          tags: ["Webhooks"],
          requestBody: { content: { "application/json": { schema: messageSchema(webhookType, type) } } },
          responses: { 200: { description: "Delivered. 201, 202 and 204 count too. Any other status is retried." } },
        },
      },
    ]),
  );
