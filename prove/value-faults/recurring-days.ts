/** Faults of recurring charges over a change of plan, and of commitments at an early end. */
import { inServer } from "../guards/guard.ts";
import type { ChargeTerms } from "../lives/catalogue.ts";
import { type Fault, inCore, inStory, seatsIn } from "./fault.ts";

const CHANGE = inCore("subscription/plan-change.ts");

type OfSeats = (seats: ChargeTerms) => boolean;
const IN_ADVANCE: OfSeats = ({ isInAdvance }) => isInAdvance;
const IN_ARREARS: OfSeats = ({ isInAdvance }) => !isInAdvance;
const isAlone: OfSeats = ({ isInvoiceable }) => !isInvoiceable;
const byTheDay =
  (which: OfSeats): OfSeats =>
  (seats) =>
    seats.isProrated && which(seats);

export const RECURRING_DAYS: readonly Fault[] = [
  {
    name: "plans do not know of each other",
    ruling: "23",
    harm: "Each plan bills its recurring charges as if no other had billed the same days.",
    steps: ["useSeats", "changePlan", "useSeats", "nextPeriod"],
    edits: [
      {
        file: CHANGE,
        find: "    return other ? [{ charge, closed: close(change, charge, other) }] : [];",
        replace: "    return other && false ? [{ charge, closed: close(change, charge, other) }] : [];",
      },
      {
        file: CHANGE,
        find: "    return part ? [{ charge, part }] : [];",
        replace: "    return part && false ? [{ charge, part }] : [];",
      },
    ],
    test: inStory("plan-changes", "From arrears to advance: January is billed with the change, February in advance"),
  },
  {
    name: "from arrears to advance, no bill has the days before",
    ruling: "23",
    harm: "The old charge leaves its period to a new one that bills only what comes after it.",
    steps: ["useSeats", "changePlan", "useSeats", "nextPeriod"],
    sells: seatsIn(IN_ARREARS, IN_ADVANCE),
    edits: [
      {
        file: CHANGE,
        find: '{ part: inherited ?? { type: "whole" }, coveredTo: own.lastDay };',
        replace: "{ part: LEFT_OUT, coveredTo: own.lastDay };",
      },
    ],
    test: inStory("plan-changes", "From arrears to advance: January is billed with the change, February in advance"),
  },
  {
    name: "from arrears to advance, the new plan waits for its renewal",
    ruling: "23",
    harm: "Prorated days from the change to the end of the period are billed by neither plan.",
    steps: ["useSeats", "changePlan", "useSeats", "nextPeriod"],
    sells: seatsIn(byTheDay(IN_ARREARS), byTheDay(IN_ADVANCE)),
    edits: [
      {
        file: CHANGE,
        find: '  return isWhole ? { type: "whole" } : { type: "days", firstDay, lastDay: period.lastDay };',
        replace:
          '  if (isInAdvance && !isWhole) return { type: "left_out", paidFrom: null };\n  return isWhole ? { type: "whole" } : { type: "days", firstDay, lastDay: period.lastDay };',
      },
    ],
    test: inStory("plan-changes", "From arrears to advance by the day: each plan bills its days at the change"),
  },
  {
    name: "from advance to arrears, the paid period is billed again",
    ruling: "23",
    harm: "Seats that were paid in advance are billed once more when the period closes.",
    steps: ["useSeats", "changePlan", "useSeats", "nextPeriod"],
    sells: seatsIn(IN_ADVANCE, IN_ARREARS),
    edits: [
      {
        file: CHANGE,
        find: "  return { coveredTo: lastDay, paid, isBeyondPaid: true, returned };",
        replace: "  return { coveredTo: dayBefore(day), returned };",
      },
    ],
    test: inStory("plan-changes", "From advance to arrears: the prepaid January is not billed again"),
  },
  {
    name: "from advance to arrears, paid days do not come back",
    ruling: "23",
    harm: "Prorated days that were paid in advance are billed again in arrears, and nothing is credited.",
    steps: ["useSeats", "changePlan", "useSeats", "nextPeriod"],
    sells: seatsIn(byTheDay(IN_ADVANCE), byTheDay(IN_ARREARS)),
    edits: [
      {
        file: CHANGE,
        find: "return { coveredTo: dayBefore(day), returned: { firstDay: day, lastDay } };",
        replace: "return { coveredTo: dayBefore(day) };",
      },
    ],
    test: inStory(
      "plan-changes",
      "From advance to arrears by the day: prepaid days are credited and billed in arrears",
    ),
  },
  {
    name: "from advance to advance, the paid period is billed again",
    ruling: "23",
    harm: "The new plan bills at once the days that the old one was paid for.",
    steps: ["useSeats", "changePlan", "useSeats", "nextPeriod"],
    sells: seatsIn(IN_ADVANCE, IN_ADVANCE),
    edits: [
      {
        file: CHANGE,
        find: 'if (other.timing.type === "in_advance") return { coveredTo: lastDay, paid, returned };',
        replace: 'if (other.timing.type === "in_advance") return { coveredTo: dayBefore(day), paid, returned };',
      },
    ],
    test: inStory("plan-changes", "From advance to advance: the prepaid month stays paid"),
  },
  {
    name: "paid days after a shorter period do not come back",
    ruling: "23",
    harm: "Whoever changes from a year to a month pays for the rest of the year twice.",
    steps: ["useSeats", "changePlan", "useSeats", "nextPeriod"],
    edits: [
      {
        file: CHANGE,
        find: "  isAfterDay(paidTo, lastDay) ? { firstDay: lastDay.add({ days: 1 }), lastDay: paidTo } : undefined;",
        replace:
          "  isAfterDay(paidTo, lastDay) && false ? { firstDay: lastDay.add({ days: 1 }), lastDay: paidTo } : undefined;",
      },
    ],
    test: inStory("plan-changes", "From a year to a month: the prepaid days after this month are credited"),
  },
  {
    name: "a downgrade is no renewal",
    ruling: "23",
    harm: "The first period after a downgrade is not billed by a charge in advance.",
    steps: ["useSeats", "changePlan", "nextPeriod", "nextPeriod"],
    edits: [
      {
        file: CHANGE,
        find: '  if (change.next.origin !== "downgrade" || charge.timing.type !== "in_advance") return undefined;',
        replace: '  if (change.next.origin !== "new" || charge.timing.type !== "in_advance") return undefined;',
      },
    ],
    test: inStory("plan-changes", "On the first day of a month the new plan is billed like a renewal"),
  },
  {
    name: "days of removed units come back",
    ruling: "23",
    harm: "A credit note gives back days of seats that were gone before the change.",
    steps: ["useSeats", "useSeats", "changePlan", "nextPeriod"],
    edits: [
      {
        file: inCore("subscription/returned-days.ts"),
        find: "  const unitsLeft = between(unitsHeld.minus(fee.unitsBefore), fee.units);",
        replace: "  const unitsLeft = between(fee.units, fee.units);",
      },
    ],
    test: inStory("plan-changes", "Units that were removed before the change are not credited"),
  },
  {
    name: "an unpaid fee on no invoice keeps days that another plan bills",
    ruling: "23",
    harm: "A fee that stands alone is not replaced by one for the days before the change.",
    steps: ["useSeats", "changePlan", "useSeats", "changePlan", "nextPeriod"],
    sells: seatsIn(byTheDay(isAlone), IN_ARREARS),
    edits: [
      {
        file: inServer("modules/credit/credit-notes/settle-alone.ts"),
        find: '    else if (one.fee.payment_status !== "refunded") await replaceFee(batch, clock, ended, one);',
        replace: '    else if (one.fee.payment_status === "none") await replaceFee(batch, clock, ended, one);',
      },
    ],
    test: inStory("plan-changes", "An unpaid standalone fee is replaced by one for the days before the change"),
  },
  {
    name: "the refund of a paid fee is on no list",
    ruling: "23",
    harm: "Paid days of a fee without an invoice are billed by another plan, and no credit gives them back.",
    steps: ["useSeats", "payFee", "changePlan", "nextPeriod"],
    sells: seatsIn(byTheDay(isAlone), IN_ARREARS),
    edits: [
      {
        file: inServer("modules/credit/credit-notes/settle-alone.ts"),
        find: '    if (one.fee.payment_status === "succeeded") await parkRefund(batch, clock, one);',
        replace: '    if (one.fee.payment_status === "succeeded") continue;',
      },
    ],
    test: inStory("plan-changes", "A paid standalone fee does not change"),
  },
  {
    name: "a commitment counts fees that came back",
    ruling: "24",
    harm: "At an early end a plan in advance costs less than its commitment.",
    steps: ["useCalls", "terminate", "subscribe"],
    edits: [
      {
        file: inServer("modules/invoicing/look-ups/store.ts"),
        find: "          and note.unused_of_subscription_id is not null\n      )), 0)",
        replace: "          and note.unused_of_subscription_id is null and false\n      )), 0)",
      },
    ],
    test: inStory("plan-changes", "A commitment costs the same in advance and in arrears when it ends early"),
  },
  {
    name: "a commitment counts fees of drafts that will come back",
    ruling: "24",
    harm: "At an early end within a grace period a plan in advance costs less than its commitment.",
    steps: ["changeGrace", "nextPeriod", "terminate", "subscribe"],
    edits: [
      {
        file: inServer("modules/invoicing/invoices/load-billing.ts"),
        find: '  if (bill.reason !== "terminating") return billed;',
        replace: '  if (bill.reason !== "starting") return billed;',
      },
    ],
  },
];
