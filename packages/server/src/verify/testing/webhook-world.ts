/** An endpoint with sent and pending deliveries, and plants that break their promises. */
import { id, REAL } from "./names.ts";
import { day, type Row, row } from "./rows.ts";
import { copy, NEW, type Plant } from "./statements.ts";

const [ENDPOINT, PUBLISHED, OPEN, DONE, WAITING] = [id(801), id(802), id(803), id(804), id(805)];
const AT = "2024-04-10T11:50:00Z";
const SECRET = `whsec_${"A".repeat(43)}=`;

const message = (messageId: string): Row =>
  row("outbox", {
    id: messageId,
    webhook_type: "customer.updated",
    object_type: "customer",
    object_id: REAL,
    change_key: messageId,
    payload: {},
    created_at: AT,
    ready_at: AT,
    dispatched_at: AT,
  });

const delivery = (deliveryId: string, messageId: string, more: object): Row =>
  row("webhook_deliveries", {
    id: deliveryId,
    endpoint_id: ENDPOINT,
    message_id: messageId,
    ready_at: AT,
    created_at: AT,
    ...more,
  });

const attempt = (attemptId: string, number: number, status: number): Row =>
  row("webhook_attempts", {
    id: attemptId,
    delivery_id: DONE,
    number,
    url: "https://hooks.example",
    request_headers: {},
    started_at: AT,
    duration_ms: 1,
    http_status: status,
    response_body: "",
  });

/** Created after all messages. */
export const webhookWorld: readonly Row[] = [
  row("webhook_endpoints", {
    id: ENDPOINT,
    webhook_url: "https://hooks.example",
    signature_algo: "jwt",
    secret: SECRET,
    failures: 0,
    created_at: day("2024-04-10"),
    updated_at: day("2024-04-10"),
  }),
  message(PUBLISHED),
  message(OPEN),
  delivery(DONE, PUBLISHED, { status: "succeeded", attempts: 2, settled_at: AT, http_status: 200 }),
  attempt(id(806), 1, 500),
  attempt(id(807), 2, 200),
  delivery(WAITING, OPEN, { status: "pending", attempts: 0 }),
];

const change = (table: string, rowId: string, columns: string): string =>
  `update ${table} set ${columns} where id = '${rowId}'`;

export const webhookPlants: Readonly<Record<string, readonly Plant[]>> = {
  "messages-reach-endpoints": [
    ["a message is not sent", `delete from webhook_deliveries where id = '${WAITING}'`],
    [
      "a message of a type that the endpoint receives is not sent",
      `delete from webhook_deliveries where id = '${WAITING}';
       update webhook_endpoints set event_types = (select array_agg(distinct webhook_type) from outbox where id = '${OPEN}')
       where id = '${ENDPOINT}'`,
    ],
    [
      "a message is sent to an endpoint that came later",
      change("webhook_endpoints", ENDPOINT, "created_at = '2024-04-10T11:55:00Z'"),
    ],
    ["a message in delivery is deleted", change("outbox", OPEN, `forgotten_at = '${AT}'`)],
    ["a message in delivery was not dispatched", change("outbox", OPEN, "dispatched_at = null, attempts = 1")],
  ],
  "deliveries-follow-attempts": [
    ["an attempt has no log", `delete from webhook_attempts where id = '${id(806)}'`],
    ["an attempt is not counted", change("webhook_deliveries", DONE, "attempts = 1")],
    ["an attempt is missing", change("webhook_attempts", id(806), "number = 3")],
    ["a failed delivery has the status succeeded", change("webhook_attempts", id(807), "http_status = 500")],
    ["a successful delivery has the status failed", change("webhook_deliveries", DONE, "status = 'failed'")],
    [
      "a delivery that succeeded on retry has the status failed",
      change("webhook_deliveries", DONE, "attempts_before = 1, status = 'failed'"),
    ],
    ["it was sent again after it succeeded", change("webhook_attempts", id(806), "http_status = 200")],
  ],
  "deliveries-are-signed": [
    ["the secrets of an endpoint cannot be opened", change("webhook_endpoints", ENDPOINT, `unopened_since = '${AT}'`)],
  ],
  "deliveries-do-not-wait": [
    ["a delivery has waited", change("webhook_deliveries", WAITING, "ready_at = '2024-04-10T10:59:00Z'")],
  ],
};

export const webhookFalseAlarms: readonly Plant[] = [
  [
    "a successful delivery is retried by hand",
    `${change("webhook_attempts", id(806), "http_status = 200")};
     ${change("webhook_deliveries", DONE, "attempts_before = 1")}`,
  ],
  [
    "an endpoint that fails keeps its messages waiting",
    `${change("webhook_deliveries", WAITING, "ready_at = '2024-04-10T10:00:00Z'")};
     ${change("webhook_endpoints", ENDPOINT, `failures = 1, failing_since = '${AT}'`)}`,
  ],
  [
    "an endpoint was deleted before the message was dispatched",
    `${change("webhook_endpoints", ENDPOINT, "deleted_at = '2024-04-10T11:00:00Z'")};
     delete from webhook_deliveries where id = '${WAITING}'`,
  ],
  [
    "an endpoint does not receive the type of the message",
    `${change("webhook_endpoints", ENDPOINT, "event_types = '{fee.created}'")};
     delete from webhook_deliveries where id = '${WAITING}'`,
  ],
  [
    "an endpoint received other types when the message was dispatched",
    `${change("webhook_endpoints", ENDPOINT, `event_types_since = '${AT}'`)};
     delete from webhook_deliveries where id = '${WAITING}'`,
  ],
  [
    "a message and an endpoint came at the same moment",
    `${copy("webhook_endpoints", `id = '${ENDPOINT}'`, { id: NEW, created_at: AT, webhook_url: "https://new.example" })}`,
  ],
  [
    "the payload of an old message was deleted",
    `delete from webhook_attempts where delivery_id = '${DONE}'; delete from webhook_deliveries where id = '${DONE}';
     ${change("outbox", PUBLISHED, `forgotten_at = '${AT}', payload = 'null'`)}`,
  ],
];
