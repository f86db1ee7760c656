/** Every webhook message with an example, produced by a fresh service that triggers them all. */

import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { composeJobs } from "../../packages/server/src/main/compose-work.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { MESSAGE_TYPES } from "../../packages/server/src/main/message-types.ts";
import { callOf } from "../../packages/server/src/testing/call-api.ts";
import { drain } from "../../packages/server/src/testing/drain.ts";
import { createRecomputations, provokeMessages } from "../../packages/server/src/testing/provoke-messages.ts";
import { code, GENERATED, page, table } from "./markdown.ts";
import { namerOfIds, withoutSecrets } from "./steady-text.ts";

const START = "2026-02-12T10:30:00Z";

export async function describeWebhooks(databaseUrl: string): Promise<string> {
  const examples = await collectExamples(databaseUrl);
  const nameIds = namerOfIds();
  const types = Object.entries(MESSAGE_TYPES);
  return page(
    GENERATED,
    "# Webhooks",
    `The service sends a POST request to every endpoint of the organization when something changes, unless the endpoint names other types in
\`event_types\`. The JSON body has \`webhook_type\`,
\`object_type\` and the object as it was at that moment, under the name of its type. Answer 200, 201, 202 or 204. After any other answer the
service retries for three days. A message can arrive more than once and in any order. \`webhook-id\` and \`X-Svc-Unique-Key\` contain its id,
which is the same on every attempt.`,
    "## Signatures",
    table(
      ["Header", "What it is"],
      [
        [
          code("X-Svc-Signature"),
          "With `jwt`: an RS256 JWT whose claim `data` is the body; if that token were longer than 4,096 bytes, the claim `sha256`, the SHA-256 of the body in hexadecimal, takes the place of `data`. With `hmac`: the HMAC-SHA256 of the body in Base64, with the endpoint's `secret` as the API showed it.",
        ],
        [
          code("X-Svc-Signature-Algorithm"),
          "`hmac` or `jwt`, by the setting of the endpoint. Get the public key for JWT from `/api/v1/webhooks/json_public_key`.",
        ],
        [
          "`webhook-id`, `webhook-timestamp`, `webhook-signature`",
          "The signature of [Standard Webhooks](https://www.standardwebhooks.com), with the endpoint's `secret`; for 24 hours after a rotation also with the old one, separated by a space. Check it with one of its libraries, or with `verifyWebhook` of the [TypeScript client](../../packages/client/README.md).",
        ],
      ],
    ),
    "## Types",
    table(
      ["Type", "Object", "When"],
      types.map(([type, { objectType, when }]) => [code(type), code(objectType), when]),
    ),
    ...types.flatMap(([type]) => {
      const example = examples.get(type);
      return example === undefined ? [] : [`## ${type}`, `\`\`\`json\n${nameIds(withoutSecrets(example))}\n\`\`\``];
    }),
  );
}

/** The first message of each type. */
async function collectExamples(databaseUrl: string): Promise<ReadonlyMap<string, string>> {
  let now = Temporal.Instant.from(START);
  const examples = new Map<string, string>();
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: "https://billing.example.com",
    LOG_LEVEL: "silent",
    ...NO_RATE_LIMITS,
  });
  const recomputations = createRecomputations();
  const platform = composePlatform(config, {
    recomputeInvoice: recomputations.give,
    // Advances a little on each call, so that messages have an order; it is too little to show.
    clock: { now: () => (now = now.add({ microseconds: 1 })) },
    subscribers: [
      async (_tx, { webhookType, payload }) => {
        if (!examples.has(webhookType)) examples.set(webhookType, JSON.stringify(JSON.parse(payload), null, 2));
      },
    ],
  });
  const app = await composeApi(platform);
  try {
    const { key } = await makeOrganization(platform, { name: "Example", isSandbox: true, keyName: "example" });
    const passHour = async (): Promise<void> => {
      now = now.add({ hours: 1 });
      await composeJobs(platform)
        .scheduled.find(({ name }) => name === "ask_for_event_checks")
        ?.run();
    };
    await provokeMessages({ call: callOf(app, key), drain: () => drain(platform), passHour, recomputations });
    return examples;
  } finally {
    await app.close();
    await platform.close();
  }
}
