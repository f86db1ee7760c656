/** Plants of the invariant about the prices of bills. */
import { A, ARREARS, IDLE, S } from "./names.ts";
import { billOf, type Plant } from "./statements.ts";

const APRIL = "2024-04-01T00:00:00Z";
const MARCH = "2024-03-01T00:00:00Z";
const ON_CLOCK = `bill_id = (select id from bills where ${billOf(S.plain, "periodic", MARCH)})`;
const ON_REAL_CLOCK = `bill_id = (select id from bills where ${billOf(S.backdated, "periodic", APRIL)})`;
const stood = (at: string): string =>
  `insert into plan_version_clocks values ('${A}', '${ARREARS}', 2, '${IDLE}', '${at}')`;
const made = (at: string): string =>
  `update plan_versions set made_at = '${at}' where plan_id = '${ARREARS}' and version = 2`;
const price = (where: string, columns: string): string => `update invoice_bills set ${columns} where ${where}`;
const madeFrom = (where: string, version: number): string =>
  `update invoices set made_from = jsonb_set(made_from, '{bills,0,planVersion}', '${version}')
   where id = (select invoice_id from invoice_bills where ${where})`;

export const pricePlants: Readonly<Record<string, readonly Plant[]>> = {
  "prices-are-in-force": [
    ["a price is newer than the end, on a test clock", stood("2024-03-02T00:00:00Z")],
    ["a price is as new as the end, on a test clock", stood(MARCH)],
    ["a price is newer than the end, on the real clock", made("2024-04-01T00:00:01Z")],
    [
      "a price is older than the one in force, on a test clock",
      `${stood("2024-02-20T00:00:00Z")}; ${price(ON_CLOCK, "priced_version = 1, opening_version = 1")}; ${madeFrom(ON_CLOCK, 1)}`,
    ],
    [
      "a price is older than the one in force, on the real clock",
      `${price(ON_REAL_CLOCK, "priced_version = 1, opening_version = 1")}; ${madeFrom(ON_REAL_CLOCK, 1)}`,
    ],
    ["an invoice has other prices than its bill", madeFrom(ON_CLOCK, 1)],
  ],
};

export const priceAlarms: readonly Plant[] = [
  [
    "an edit was applied to a bill that had ended",
    `${stood("2024-03-02T00:00:00Z")}; ${price(ON_CLOCK, "repriced_at = now()")}`,
  ],
  [
    "an edit was committed shortly after its instant",
    `${made("2024-03-31T23:59:30Z")}; ${price(ON_REAL_CLOCK, "priced_version = 1, opening_version = 1")};
     ${madeFrom(ON_REAL_CLOCK, 1)}`,
  ],
];
