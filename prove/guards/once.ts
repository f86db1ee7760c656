/** Guards that let a thing happen once: unique rows, and what is remembered of a request. */
import { type Guard, inMigration, inServer } from "./guard.ts";

const rows = (name: string): string => inServer(`platform/postgres/${name}-rows.test.ts`);

export const ONCE: readonly Guard[] = [
  {
    name: "event identity",
    protects: "An event that is sent again, to whichever process, is counted once.",
    edits: [
      {
        file: inMigration("0007-events"),
        find: "primary key (organization_id, transaction_id, external_subscription_id)",
        replace: "check (true)",
      },
    ],
    test: {
      file: inServer("modules/events/ingest/concurrent-events.test.ts"),
      name: "one event sent 60 times at once to three processes is stored once, every response shows it, and one says that it is new",
    },
  },
  {
    name: "event with another body",
    protects: "An id that was used for one event does not silently take the body of another.",
    edits: [
      {
        file: inMigration("0007-events"),
        find: 'select key.body_digest = row.body and (not row.is_timed or key."timestamp" = row.instant) as is_same',
        replace: "select true as is_same",
      },
    ],
    test: {
      file: inServer("modules/events/ingest/concurrent-events.test.ts"),
      name: "two bodies for one key at the same moment: one is stored, and all requests with the other body are refused",
    },
  },
  {
    name: "one invoice of an occasion",
    protects: "Bills of one customer and one instant are on one invoice, whoever makes it how often.",
    edits: [
      {
        file: inMigration("0009-invoices"),
        find: "create unique index invoices_occasion",
        replace: "create index invoices_occasion",
      },
      {
        file: inServer("modules/invoicing/invoices/store.ts"),
        find: "on conflict (organization_id, customer_id, invoice_key, occurred_at) where invoice_key is not null do nothing",
        replace: "",
      },
    ],
    test: {
      file: rows("invoice"),
      name: "an invoice key is unique, and a draft without its fees is refused",
    },
  },
  {
    name: "usage billed once",
    protects: "No two bills of a subscription are for the same stretch of usage.",
    edits: [
      {
        file: inMigration("0006-subscriptions"),
        find: ") where (charges_from is not null)",
        replace: ") where (false)",
      },
    ],
    test: { file: rows("subscription"), name: "never take %s twice" },
  },
  {
    name: "one bill of an occasion",
    protects: "The end of a period gives one bill, though it is worked on twice.",
    edits: [
      {
        file: inMigration("0006-subscriptions"),
        find: "unique (organization_id, subscription_id, reason, occurred_at)",
        replace: "check (true)",
      },
    ],
    test: { file: rows("subscription"), name: "are not made twice for one occasion" },
  },
  {
    name: "one fee of an event and charge",
    protects: "An event that is looked at again makes no second fee in advance.",
    edits: [
      {
        file: inMigration("0009-invoices"),
        find: "create unique index fees_once_of_event",
        replace: "create index fees_once_of_event",
      },
    ],
    test: {
      file: inServer("modules/invoicing/advance-fees/advance-fees.test.ts"),
      name: "the unique index on event and charge prevents duplicates, even if a cursor moves back",
    },
  },
  {
    name: "due instant scheduled once",
    protects: "What was due and is done is not scheduled and done a second time.",
    edits: [
      {
        file: inMigration("0002-work"),
        find: "unique (organization_id, kind, subject_id, due_at)",
        replace: "check (true)",
      },
    ],
    test: {
      file: rows("subscription"),
      name: "the same instant of the same subject is never scheduled again while it %s",
    },
  },
  {
    name: "due row finished once",
    protects: "Whoever comes second to a due row undoes what it did and does not do the work again.",
    edits: [
      {
        file: inServer("jobs/due-store.ts"),
        find: "  if (numUpdatedRows !== BigInt(ids.length)) throw",
        replace: "  if (numUpdatedRows < 0n) throw",
      },
    ],
    test: {
      file: inServer("jobs/due.test.ts"),
      name: "a row that is done is not done again, even by a worker that still has it",
    },
  },
  {
    name: "message published once",
    protects: "What can happen to an object once is told once.",
    edits: [
      {
        file: inMigration("0002-work"),
        find: "unique (organization_id, webhook_type, object_id, change_key)",
        replace: "check (true)",
      },
    ],
    test: {
      file: inServer("jobs/outbox.test.ts"),
      name: "a change that can happen only once cannot be published twice",
    },
  },
  {
    name: "ledger entry of a source",
    protects: "One effect, such as a payment or a void, moves value once.",
    edits: [
      {
        file: inMigration("0012-ledger"),
        find: "create unique index ledger_entries_once",
        replace: "create index ledger_entries_once",
      },
    ],
    test: { file: rows("ledger"), name: "an effect happens once" },
  },
  {
    name: "idempotency key",
    protects: "A request that is repeated with its key has one effect and one answer.",
    edits: [
      {
        file: inServer("http/idempotency-store.ts"),
        find: '        .where("idempotency_keys.created_at", "<", staleBefore),',
        replace: '        .where("idempotency_keys.created_at", "<=", now),',
      },
    ],
    test: {
      file: inServer("http/idempotency.test.ts"),
      name: "the same key and body repeat the first response, and do nothing",
    },
  },
  {
    name: "relay token",
    protects: "Events that are sent to ClickHouse again, because no answer came, are in it once.",
    edits: [
      {
        file: inServer("modules/usage/clickhouse/relay/copy.ts"),
        find: "({ generation, lane, stage }: ClaimedLane, number: bigint): string =>",
        replace: "({ generation, lane, stage }: ClaimedLane, number: bigint): string => performance.now() +",
      },
    ],
    test: {
      file: inServer("modules/usage/clickhouse/relay/repeats.test.ts"),
      name: "is inserted once, thanks to its token",
    },
  },
];
