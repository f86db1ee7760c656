/** How the promises about what cannot be billed are broken. */
import { paidFee } from "./advance-world.ts";
import { A, ADVANCING, DRAFT, GONE, id, S } from "./names.ts";
import { addDue, NEW, openDue, type Plant } from "./statements.ts";

const PERIOD_END = openDue(S.plain, "period_end");
const [ORGANIZATION_IN_ADVANCE, EVENT] = [id(3), id(206)];

type Parked = { organization?: string; kind: string; item: string; object?: string; status?: "parked" | "skipped" };

/** `item` and `object` are SQL. */
const parkItem = ({ organization = A, kind, item, object = item, status = "parked" }: Parked): string => `
  insert into parked_items (organization_id, id, kind, object_type, object_id, source, item_id, reason, parked_at, status, resolved_at,
    resolution)
  select '${organization}', '${NEW}', '${kind}', '${kind}', ${object}, 'planted', ${item}, 'planted', '2024-04-01', '${status}',
    ${status === "parked" ? "null, null" : "'2024-04-02', 'planted'"}`;

const dueId = (where: string): string => `(select id from due_instants where ${where})`;

const parkDue = (where: string): string =>
  `update due_instants set parked_at = '2024-04-01', attempts = 3 where ${where}`;

export const parkedPlants: Readonly<Record<string, readonly Plant[]>> = {
  "parked-items-are-open": [
    ["work is set aside and listed nowhere", parkDue(PERIOD_END)],
    ["what is listed is not set aside", parkItem({ kind: "invoice", item: dueId(PERIOD_END) })],
    [
      "a skipped event has a fee",
      parkItem({ organization: ORGANIZATION_IN_ADVANCE, kind: "event", item: `'${EVENT}'::uuid`, status: "skipped" }),
    ],
    [
      "nobody skipped an invoice",
      `update invoices set status = 'generating', skipped_at = now() where id = '${DRAFT}'`,
    ],
  ],
  "nothing-fails-in-silence": [
    ["work fails forever", `update due_instants set attempts = 10, last_error = 'Error' where ${PERIOD_END}`],
    ["work waits forever", `update due_instants set attempts = 30, last_error = 'passing: Error' where ${PERIOD_END}`],
    ["fees in advance fail forever", "update advance_cursors set attempts = 10, last_error = 'Error'"],
    ["events of wallets fail forever", "update wallet_cursors set attempts = 10, last_error = 'Error'"],
    [
      "the advance of a test clock fails forever",
      `update test_clocks set attempts = 10, last_error = 'Error' where id = '${ADVANCING}'`,
    ],
    [
      "a message fails forever",
      `update outbox set dispatched_at = null, attempts = 10, last_error = 'Error' where object_id = '${S.plain}'`,
    ],
  ],
};

export const parkedFalseAlarms: readonly Plant[] = [
  [
    "an operator left paid fees as they are",
    `${paidFee({})};
     ${addDue(S.ended, "late_fees_regrouping", { id: id(901), customer_id: GONE, test_clock_id: null, rank: 67, done_at: "2024-05-02T00:00:00Z" })};
     ${parkItem({ kind: "invoice", item: `'${id(901)}'::uuid`, status: "skipped" })}`,
  ],
  ["work is parked", `${parkDue(PERIOD_END)}; ${parkItem({ kind: "invoice", item: dueId(PERIOD_END) })}`],
  [
    "a draft is parked",
    `${parkDue(`subject_id = '${DRAFT}'`)}; ${parkItem({ kind: "invoice", item: dueId(`subject_id = '${DRAFT}'`) })}`,
  ],
  [
    "an invoice is skipped",
    `update invoices set status = 'generating', skipped_at = now() where id = '${DRAFT}';
     ${parkItem({ kind: "invoice", item: `'${DRAFT}'::uuid`, status: "skipped" })}`,
  ],
  ["a database is away", `update due_instants set attempts = 12, last_error = 'passing: Error' where ${PERIOD_END}`],
];
