/** An object with a name in the API description. The name is a title, so it changes neither validation nor serialization. */
import { Type } from "@fastify/type-provider-typebox";

type Members = Parameters<typeof Type.Object>[0];

/** Two objects with the same name must be equal: `openapi-names.ts` refuses the second otherwise. */
export const namedObject = <T extends Members>(title: string, members: T, options: { description?: string } = {}) =>
  Type.Object(members, { title, ...options });
