/** What a browser sends of an authenticator, as far as it is read. */
import { Type } from "@fastify/type-provider-typebox";

const bytes = (lengthMax: number) => Type.String({ maxLength: lengthMax });

/** Both of a registration and of a sign-in: the library reads what it needs. Browsers add members over time. */
export const credentialSchema = Type.Object(
  {
    id: bytes(2_000),
    rawId: bytes(2_000),
    type: bytes(50),
    response: Type.Object(
      {
        clientDataJSON: bytes(10_000),
        attestationObject: Type.Optional(bytes(50_000)),
        authenticatorData: Type.Optional(bytes(10_000)),
        signature: Type.Optional(bytes(5_000)),
        userHandle: Type.Optional(bytes(200)),
        transports: Type.Optional(Type.Array(bytes(50), { maxItems: 10 })),
      },
      { additionalProperties: true },
    ),
    clientExtensionResults: Type.Optional(Type.Object({}, { additionalProperties: true })),
    authenticatorAttachment: Type.Optional(bytes(50)),
  },
  { additionalProperties: true },
);
