/** Guards towards the outside: who may ask for what, and where the service itself may go. */
import { type Guard, inServer } from "./guard.ts";

const AUTHENTICATE = inServer("modules/accounts/api-keys/authenticate.ts");
const LINKS = inServer("modules/documents/documents/links.ts");
const LINK_TEST = {
  file: inServer("modules/documents/downloads/downloads.test.ts"),
  name: "a link opens only its own file: not if altered, not for another file, not after it expires",
};
const OUTBOUND = inServer("platform/outbound-http/outbound-http.ts");
const OUTBOUND_TEST = inServer("platform/outbound-http/outbound-http.test.ts");

export const OUTSIDE: readonly Guard[] = [
  {
    name: "secret of an API key",
    protects: "Who knows the id of a key, which logs show, cannot use it.",
    edits: [
      { file: AUTHENTICATE, find: "if (!key || !isRight) return", replace: "void isRight;\n    if (!key) return" },
    ],
    test: {
      file: inServer("modules/accounts/api-keys/api-keys.test.ts"),
      name: "the right id with a wrong secret is refused",
    },
  },
  {
    name: "revoked API key",
    protects: "A key that was revoked opens nothing.",
    edits: [{ file: AUTHENTICATE, find: "if (key.revoked_at !== null || isExpired)", replace: "if (isExpired)" }],
    test: { file: inServer("http/every-route.test.ts"), name: "no route accepts a revoked key" },
  },
  {
    name: "permission of an API key",
    protects: "A key does what its list of permissions says, and nothing else.",
    edits: [
      {
        file: inServer("http/auth.ts"),
        find: "  if (resource !== undefined && isAllowed(caller.permissions, resource, action)) return;",
        replace: "  if (resource !== undefined || isAllowed(caller.permissions, resource, action)) return;",
      },
    ],
    test: {
      file: inServer("modules/accounts/api-keys/api-keys.test.ts"),
      name: "a key without a list of permissions may do everything; a key with a list may do only what the list allows",
    },
  },
  {
    name: "rate limit",
    protects: "One caller cannot take the service away from the others.",
    edits: [
      {
        file: inServer("http/rate-limit.ts"),
        find: "    const max = limits[bucket];",
        replace: "    const max = limits[bucket] && 1000 + limits[bucket];",
      },
    ],
    test: {
      file: inServer("http/rate-limit.test.ts"),
      name: "the third request in a second is refused with the time to retry",
    },
  },
  {
    name: "signature of a link",
    protects: "A link to a document cannot be made up or altered.",
    edits: [
      {
        file: LINKS,
        find: "  return input.length === right.length && timingSafeEqual(input, right);",
        replace: "  return input.length === right.length || timingSafeEqual(right, right);",
      },
    ],
    test: LINK_TEST,
  },
  {
    name: "end of a link",
    protects: "A link to a document opens it for a week, not forever.",
    edits: [{ file: LINKS, find: " || Number(expires) * 1000 <= now.epochMilliseconds)", replace: " || !now)" }],
    test: LINK_TEST,
  },
  {
    name: "secret of a webhook",
    protects: "A receiver can tell that a webhook is ours: only we and the receiver have the secret of its endpoint.",
    edits: [
      {
        file: inServer("modules/webhooks/deliveries/sign-message.ts"),
        find: 'algorithm === "hmac" ? hmac(secret, body)',
        replace: 'algorithm === "hmac" ? hmac("", body)',
      },
    ],
    test: {
      file: inServer("modules/webhooks/deliveries/webhooks.test.ts"),
      name: "an endpoint that uses HMAC gets the HMAC of the exact body with its own secret, besides Standard Webhooks",
    },
  },
  {
    name: "time in the signature",
    protects: "An attacker cannot record a webhook and send it later as a new one.",
    edits: [
      {
        file: inServer("modules/webhooks/deliveries/sign-message.ts"),
        find: "Buffer.concat([Buffer.from(",
        replace: 'Buffer.concat([Buffer.from(messageId + ".") ?? Buffer.from(',
      },
    ],
    test: {
      file: inServer("modules/webhooks/deliveries/webhooks.test.ts"),
      name: "an endpoint gets a POST, with its organization's JWT and a Standard Webhooks signature",
    },
  },
  {
    name: "address when connecting",
    protects: "A name that leads into our own network when the connection is made reaches nothing there.",
    edits: [
      {
        file: OUTBOUND,
        find: "const refused = error ?? refusalOf(addresses);",
        replace: "const refused = error ?? (addresses.length > 0 ? undefined : refusalOf(addresses));",
      },
    ],
    test: {
      file: OUTBOUND_TEST,
      name: "a name that resolves to a public address first and to a private one at connection time is refused",
    },
  },
  {
    name: "no redirects",
    protects: "A receiver cannot send us on to an address of its choice.",
    edits: [
      {
        file: OUTBOUND,
        find: "      const dispatcher = isTrusted ? trusted : guarded;",
        replace: `      const { interceptors } = await import("undici");
      const dispatcher = (isTrusted ? trusted : guarded).compose(interceptors.redirect({ maxRedirections: 2 }));`,
      },
    ],
    test: {
      file: OUTBOUND_TEST,
      name: "a redirect is not followed, a long response is truncated, and a hanging one times out",
    },
  },
];
