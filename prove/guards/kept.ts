/** Guards of what is stored: between organizations, and against changes of what was issued. */
import { type Guard, inMigration, inServer } from "./guard.ts";

const rows = (name: string): string => inServer(`platform/postgres/${name}-rows.test.ts`);
const TENANCY = inServer("platform/postgres/tenancy.test.ts");

export const KEPT: readonly Guard[] = [
  {
    name: "row level security, reading",
    protects: "A query that forgets its organization sees no row of another one.",
    edits: [
      {
        file: inMigration("0001-organizations"),
        find: "    using (organization_id = (select current_organization()))",
        replace: "    using (true)",
      },
    ],
    test: {
      file: TENANCY,
      name: "every table shows the rows of the organization that is set, and without one no rows",
    },
  },
  {
    name: "row level security, writing",
    protects: "Nothing can be written into another organization.",
    edits: [
      {
        file: inMigration("0001-organizations"),
        find: "    with check (organization_id = (select current_organization()))', tenant_table);",
        replace: "    with check (true)', tenant_table);",
      },
    ],
    test: {
      file: TENANCY,
      name: "a row of another organization cannot be inserted, changed, moved or deleted in %s",
    },
  },
  {
    name: "row level security, for its owner",
    protects: "Whoever owns a table is held by its policies too.",
    edits: [
      {
        file: inMigration("0001-organizations"),
        find: "  execute format('alter table %s force row level security', tenant_table);\n",
        replace: "",
      },
    ],
    test: {
      file: TENANCY,
      name: "every table belongs to an organization in its columns, keys, references and policies",
    },
  },
  {
    name: "organization of one transaction",
    protects: "A pooled connection does not carry an organization to whoever uses it next.",
    edits: [
      {
        file: inServer("platform/postgres/database.ts"),
        find: ", true)`.execute(tx);\n}\n\n/** For background work:",
        replace: ", false)`.execute(tx);\n}\n\n/** For background work:",
      },
    ],
    test: { file: TENANCY, name: "the service's own transactions leave nothing behind on a pooled connection" },
  },
  {
    name: "finalized invoice",
    protects: "A finalized invoice keeps its figures, number, dates and inputs, whoever writes.",
    edits: [
      {
        file: inMigration("0009-invoices"),
        find: "raise exception 'invoice % is finalized and never changes', old.id;",
        replace: "null;",
      },
    ],
    test: { file: rows("invoice"), name: "a finalized invoice keeps %s" },
  },
  {
    name: "figures of an invoice",
    protects: "The total of an invoice is the sum of its parts.",
    edits: [
      {
        file: inMigration("0009-invoices"),
        find: "      = total_amount_cents\n",
        replace: "      is not null\n",
      },
    ],
    test: { file: rows("invoice"), name: "figures add up and none is below zero" },
  },
  {
    name: "balance of a wallet",
    protects: "A wallet never holds less than nothing.",
    edits: [
      {
        file: inMigration("0015-wallets"),
        find: "balance_cents bigint not null default 0 check (balance_cents >= 0),",
        replace: "balance_cents bigint not null default 0,",
      },
    ],
    test: {
      file: rows("wallet"),
      name: "a balance is never negative, and the rate and currency of a wallet never change",
    },
  },
  {
    name: "transfers come to zero",
    protects: "Value does not come from nowhere: every movement has its counterpart.",
    edits: [
      {
        file: inMigration("0012-ledger"),
        find: "group by currency having sum(amount_cents) <> 0",
        replace: "group by currency having false",
      },
    ],
    test: { file: rows("ledger"), name: "the entries of a transfer come to 0" },
  },
  {
    name: "rights on the ledger",
    protects: "The service has no right to change or delete an entry of the ledger.",
    edits: [
      {
        file: inMigration("0012-ledger"),
        find: "revoke update, delete on ledger_entries from tallystick_app;\n",
        replace: "",
      },
    ],
    test: { file: rows("ledger"), name: "entries never change, and an entry of 0 is refused" },
  },
  {
    name: "time goes forward",
    protects: "A test clock is never turned back, so that nothing falls due twice.",
    edits: [
      {
        file: inMigration("0004-test-clocks-and-customers"),
        find: "  if new.now < old.now then",
        replace: "  if false then",
      },
    ],
    test: {
      file: inServer("modules/customers/test-clocks/test-clocks.test.ts"),
      name: "an SQL statement cannot turn it back",
    },
  },
];
