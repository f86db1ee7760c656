/** Guards that let one at a time work, in the right order, and answer only for what is stored: locks, claims, cuts and commits. */
import { type Guard, inMigration, inServer } from "./guard.ts";

export const IN_TURN: readonly Guard[] = [
  {
    name: "commit before the answer",
    protects: "An event that was acknowledged is stored, whatever is killed after that.",
    edits: [
      {
        file: inServer("modules/events/ingest/group-commit.ts"),
        find: "  const repeats = await storeEvents(db, organizationId, lane, columns);",
        replace: `  const repeats: Awaited<ReturnType<typeof storeEvents>> = [];
  storeEvents(db, organizationId, lane, columns).catch(() => undefined);`,
      },
    ],
    test: {
      file: inServer("modules/events/ingest/concurrent-events.test.ts"),
      name: "an event is answered after its commit, and not before",
    },
  },
  {
    name: "customer held by a request",
    protects: "Requests about one customer are decided one after the other, each by what the one before left.",
    edits: [
      {
        file: inServer("modules/customers/customers/store.ts"),
        find: '  live(tx, organizationId).where("id", "=", id).forNoKeyUpdate().executeTakeFirst();',
        replace: '  live(tx, organizationId).where("id", "=", id).executeTakeFirst();',
      },
    ],
    test: {
      file: inServer("modules/subscriptions/concurrency.test.ts"),
      name: "the same request many times makes one subscription, and every response shows it",
    },
  },
  {
    name: "customer held by a worker",
    protects: "A worker does not begin on a customer whom a request holds: they would wait for each other.",
    edits: [
      {
        file: inServer("jobs/due-store.ts"),
        find: "customerRows(tx, organizationId, customerIds).forNoKeyUpdate().skipLocked()",
        replace: "customerRows(tx, organizationId, customerIds)",
      },
      {
        file: inServer("jobs/due.ts"),
        find: "  if (customerIds.length > 0) await lockCustomers(tx, organizationId, customerIds);\n",
        replace: "",
      },
    ],
    test: {
      file: inServer("modules/subscriptions/concurrency.test.ts"),
      name: "a worker skips a customer that a request has locked, and comes back",
    },
  },
  {
    name: "credit held for an invoice",
    protects: "Two invoices that are finalized at once do not spend the same credit.",
    edits: [
      {
        file: inServer("modules/invoicing/invoices/hold-invoice.ts"),
        find: "  await lockCustomer(tx, organizationId, customer.id);\n",
        replace: "  void lockCustomer;\n",
      },
    ],
    test: {
      file: inServer("modules/credit/credit-notes/concurrency.test.ts"),
      name: "the same holds with only a credit note, which has no row lock of its own",
    },
  },
  {
    name: "claim of a due row",
    protects: "Of several workers one takes a due row, and the others do not even try.",
    edits: [
      {
        file: inServer("jobs/due-store.ts"),
        find: '.where("id", "=", anyOf(ids)).orderBy("id").forUpdate().skipLocked().execute();',
        replace: '.where("id", "=", anyOf(ids)).orderBy("id").execute();',
      },
    ],
    test: {
      file: inServer("jobs/due.test.ts"),
      name: "a row that another worker has locked is skipped, even if it has no customer",
    },
  },
  {
    name: "order of due rows",
    protects: "What a customer has due later waits for what is due earlier.",
    edits: [
      {
        file: inServer("jobs/due-store.ts"),
        find: "            .where(holdsBack),",
        replace: "            .where(holdsBack).where(sql<boolean>`false`),",
      },
    ],
    test: {
      file: inServer("jobs/due.test.ts"),
      name: "a later row waits for an earlier row that is still settling",
    },
  },
  {
    name: "claim of a message",
    protects: "Of several dispatchers one hands a message over.",
    edits: [
      {
        file: inServer("jobs/outbox-store.ts"),
        find: "    .forUpdate()\n    .skipLocked()\n",
        replace: "",
      },
    ],
    test: { file: inServer("jobs/outbox.test.ts"), name: "concurrent dispatchers deliver each message once" },
  },
  {
    name: "message with the change",
    protects: "Whoever finalizes an invoice tells it in the same transaction.",
    edits: [
      {
        file: inServer("modules/invoicing/invoices/save-invoice.ts"),
        find: "  if (made.webhookType !== null) await tell(batch, row, made.webhookType, deps.clock);\n",
        replace: "",
      },
    ],
    test: {
      file: inServer("modules/invoicing/invoices/invoices.test.ts"),
      name: "a period is billed when it ends: its fee and usage, numbered, dated and published once",
    },
  },
  {
    name: "number from its counter",
    protects: "Numbers of one series are 1, 2, 3 …, however many are taken at once.",
    edits: [
      {
        file: inServer("modules/accounts/counters/store.ts"),
        find: 'conflict.columns(["organization_id", "series"]).doUpdateSet({ value: sql`counters.value + 1` }),',
        replace:
          'conflict.columns(["organization_id", "series"]).doUpdateSet({ value: sql`1 + (select count(*) from customers where organization_id = current_organization())` }),',
      },
    ],
    test: {
      file: inServer("modules/customers/customers/customers.test.ts"),
      name: "64 simultaneous creations make one customer, and numbers have no gaps",
    },
  },
  {
    name: "number given back",
    protects: "A number that was taken and not used leaves no gap.",
    edits: [
      {
        file: inServer("modules/customers/customers/upsert-customer.ts"),
        find: "    await returnNumber(tx, organizationId, NUMBERS);\n",
        replace: "    void returnNumber;\n",
      },
    ],
    test: {
      file: inServer("modules/customers/customers/customers.test.ts"),
      name: "64 simultaneous creations make one customer, and numbers have no gaps",
    },
  },
  {
    name: "usage up to a snapshot",
    protects: "A recomputed invoice reads the same events as the first time, and no late ones.",
    edits: [
      {
        file: inServer("modules/usage/store.ts"),
        find: "  if (cut === null) return sql``;",
        replace: "  if (cut === null || cut.length >= 0) return sql``;",
      },
    ],
    test: {
      file: inServer("modules/proof/verification/verification.test.ts"),
      name: "an invoice with unchanged inputs verifies, with and without late events",
    },
  },
  {
    name: "outdated preparation",
    protects: "An invoice is not made from usage that was read for another version of its plan.",
    edits: [
      {
        file: inServer("modules/invoicing/invoices/make-invoice.ts"),
        find: "  if (basisOf(billing.bills) !== measured.basis)",
        replace: "  if (basisOf(billing.bills) === undefined)",
      },
    ],
    test: {
      file: inServer("modules/invoicing/invoices/drafts.test.ts"),
      name: "an edit of a plan while a draft waits to be finalized, which %s",
    },
  },
  {
    name: "lease of a webhook",
    protects: "A worker that was thought dead does not overwrite what another one settled.",
    edits: [
      {
        file: inServer("modules/webhooks/deliveries/store.ts"),
        find: '    .where("lease_id", "=", leaseId)\n    .where("settled_at", "is", null)\n    .forNoKeyUpdate()',
        replace: "    .forNoKeyUpdate()",
      },
      // It would speak up as well.
      {
        file: inMigration("0016-webhooks"),
        find: "unique (organization_id, delivery_id, number)",
        replace: "check (true)",
      },
    ],
    test: {
      file: inServer("modules/webhooks/deliveries/webhooks.test.ts"),
      name: "a worker that lost its lease while it waited does not overwrite what another one settled",
    },
  },
];
