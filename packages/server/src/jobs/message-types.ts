/** A type of message: when it is published, and what it carries. The module that publishes a message declares its type. */
import type { TSchema } from "@fastify/type-provider-typebox";

export type MessageType = { objectType: string; when: string; schema: TSchema };
/** By their names, such as `invoice.created`. */
export type MessageTypes = Readonly<Record<string, MessageType>>;

export const messageOf =
  (objectType: string, schema: TSchema) =>
  (when: string): MessageType => ({ objectType, when, schema });
