/** Faults of prices in force, of limits, and of what stands beside the documents: starts, clocks, previews and numbers. */
import { inServer } from "../guards/guard.ts";
import { type Fault, inCore, inStory } from "./fault.ts";

const VERSIONS = inServer("modules/invoicing/prices/store.ts");
const SUBSCRIPTIONS = inServer("modules/subscriptions");

export const PRICES_AND_LIMITS: readonly Fault[] = [
  {
    name: "an edit reprices what has ended",
    ruling: "30",
    harm: "A draft that is computed again has the newest version of its plan, also one made after the end of its period.",
    steps: ["changeGrace", "nextPeriod", "editPlan", "finalize"],
    edits: [
      {
        file: inServer("modules/invoicing/invoices/load-billing.ts"),
        find: "(link && pricesOf(link)) ?? (await findPrices(batch, organizationId, { subscriptionId, testClockId, at }));",
        replace:
          "(link && (await findPrices(batch, organizationId, { subscriptionId, testClockId, at: null }))) ?? pricesOf(link);",
      },
    ],
    test: inStory("price-changes", "A plan edited during the grace period leaves the draft at the old price"),
  },
  {
    name: "an edit reprices drafts unasked",
    ruling: "30",
    harm: "A period that has ended is billed at a price that was made later.",
    steps: ["changeGrace", "nextPeriod", "editPlan"],
    edits: [
      {
        file: inServer("modules/catalogue/plans/change-plan.ts"),
        find: "  if (isUsed && appliesToDrafts) await",
        replace: "  if (isUsed) await",
      },
    ],
    test: inStory("price-changes", "A plan edited during the grace period leaves the draft at the old price"),
  },
  {
    name: "an agreed price reprices what has ended",
    ruling: "30",
    harm: "What was billed by the plan before is billed by a plan that was made for the subscription later.",
    steps: ["nextPeriod", "update"],
    edits: [
      {
        file: VERSIONS,
        find: "    and version.plan_id in (own.id, own.parent_id)\n  cross join lateral (select",
        replace: "    and version.plan_id = own.id\n  cross join lateral (select",
      },
    ],
    test: inStory("price-changes", "An agreed amount applies to periods that end after the agreement"),
  },
  {
    name: "an event in advance has the price of when it is billed",
    ruling: "30",
    harm: "An edit after the event was accepted changes its price.",
    steps: ["useJobs", "editPlan"],
    edits: [
      {
        file: inServer("modules/invoicing/advance-fees/look-up.ts"),
        find: "    if (Temporal.Instant.compare(newest.madeAt, acceptedAt) <= 0) return newest;",
        replace: "    if (newest || Temporal.Instant.compare(newest.madeAt, acceptedAt) <= 0) return newest;",
      },
    ],
    test: inStory("price-changes", "An event in advance has the price at its arrival"),
  },
  {
    name: "one event that cannot be billed stops all others",
    ruling: "32",
    harm: "No event of the organization is billed in advance any more.",
    steps: ["useTooMuch"],
    edits: [
      {
        file: inServer("jobs/failures.ts"),
        find: "  !isTransient(error) && (error instanceof CannotBill",
        replace: "  isTransient(error) && (error instanceof CannotBill",
      },
    ],
    test: inStory("parked-items", "An event in advance above the amount limit is parked, and all others are billed"),
  },
  {
    name: "a quantity has any number of digits",
    ruling: "32",
    harm: "An event is billed with a quantity of which no price makes an amount that fits.",
    steps: ["useTooMuch", "nextPeriod"],
    edits: [
      {
        file: inCore("usage/property-value.ts"),
        find: "/^-?0*\\d{1,18}(\\.\\d+)?$/",
        replace: "/^-?0*\\d+(\\.\\d+)?$/",
      },
      {
        file: inServer("modules/usage/store.ts"),
        find: "'^-?0*[0-9]{1,18}([.][0-9]+)?$'",
        replace: "'^-?0*[0-9]+([.][0-9]+)?$'",
      },
    ],
    test: inStory("parked-items", "A quantity of 19 digits is ignored, in arrears and in advance"),
  },
  {
    name: "the first second does not count",
    ruling: "33",
    harm: "An event of the second in which its subscription began is not billed.",
    steps: ["subscribe", "useCalls"],
    edits: [
      {
        file: inCore("subscription/subscribe.ts"),
        find: "?? request.subscriptionAt ?? wholeSecond(now);",
        replace: "?? request.subscriptionAt ?? now;",
      },
    ],
  },
  {
    name: "an advance cannot be repeated",
    ruling: "34",
    harm: "A client that did not see the answer is refused when it asks again.",
    steps: ["advanceAgain"],
    edits: [
      {
        file: inServer("modules/customers/test-clocks/advance-test-clock.ts"),
        find: "  if (forward < 0) throw",
        replace: "  if (forward <= 0) throw",
      },
    ],
    test: {
      file: inServer("modules/customers/test-clocks/test-clocks.test.ts"),
      name: "an advance to the current time of the clock answers 200 and changes nothing",
    },
  },
  {
    name: "a fee is paid while its clock advances",
    ruling: "35",
    harm: "A payment falls into the middle of other work, at an arbitrary instant.",
    steps: ["useJobs", "payWhileAdvancing"],
    edits: [
      {
        file: inServer("modules/invoicing/fees/change-fee.ts"),
        find: "  const now = await holdCustomerClock(tx, organizationId, testClockId, clock);",
        replace: "  const now = await readCustomerClock(tx, organizationId, testClockId, clock);",
      },
      {
        file: inServer("modules/invoicing/fees/change-fee.ts"),
        find: "import { findCustomersById, holdCustomerClock } from",
        replace: "import { findCustomersById, readCustomerClock } from",
      },
    ],
  },
  {
    name: "a preview shows one subscription alone",
    ruling: "37",
    harm: "The preview is not the invoice that follows.",
    steps: ["subscribe", "subscribe", "preview"],
    edits: [
      {
        file: `${SUBSCRIPTIONS}/find-coming-bills.ts`,
        find: "  const others = coming.isShared ? await",
        replace: "  const others = coming.isShared && false ? await",
      },
    ],
    test: inStory("previews", "The preview of one of two subscriptions is their common invoice"),
  },
  {
    name: "numbers of both schemes meet",
    ruling: "decision 0040",
    harm: "Two invoices have one number, so the second is never made.",
    steps: ["renumber", "nextPeriod"],
    edits: [{ file: inCore("invoicing/numbers.ts"), find: "/.test(digits)", replace: '/.test("")' }],
    test: {
      file: inServer("modules/invoicing/invoices/numbers.test.ts"),
      name: "customer 202402 is billed although the organization used the same number in February 2024",
    },
  },
];
