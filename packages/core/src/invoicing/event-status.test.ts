import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EventFacts, faultsOfEvent, type Life, NOT_BILLED_REASONS, statusOfEvent } from "./index.ts";

/** The instant of day n of 2024. */
const day = (number: number) => Temporal.Instant.from("2024-01-01T00:00:00Z").add({ hours: 24 * number });

const ARREARS = { inArrears: true, inAdvance: false, wasRemoved: false };
const ADVANCE = { inArrears: false, inAdvance: true, wasRemoved: false };
const NONE = { inArrears: false, inAdvance: false, wasRemoved: false };

/** A subscription from day 10 on, billed in periods of 30 days; the third is open. */
const LIFE: Life = {
  beginsAt: day(10),
  endsAt: null,
  historyFrom: day(10),
  periods: { firstFrom: day(0), openFrom: day(60) },
  unfinished: [],
  skipped: [],
  skippedAtEnd: null,
  charges: ARREARS,
};
const ENDED: Life = { ...LIFE, endsAt: day(65) };
const WAITING: Life = { ...LIFE, beginsAt: day(90), historyFrom: day(90), periods: null };

const OPEN: EventFacts = {
  at: day(70),
  aggregation: { type: "count" },
  isCounted: true,
  advanceFees: [],
  wasLookedAt: false,
  parked: null,
  heldBy: null,
  wasMissed: false,
  lives: [LIFE],
};
const OPEN_IN_ADVANCE: EventFacts = { ...OPEN, wasLookedAt: true, lives: [{ ...LIFE, charges: ADVANCE }] };
const SKIPPED_AT_END: Life = { ...ENDED, skippedAtEnd: { from: day(60), to: day(65) } };
const SKIPPED: Life = { ...LIFE, skipped: [{ from: day(30), to: day(60) }] };
const RECURRING: EventFacts = { ...OPEN, aggregation: { type: "sum", field: "v", isRecurring: true } };
const fee = (id: string, stands = true) => ({ id, stands });
const HELD = { invoice: "finalized", isCounted: true, fees: [fee("a")] } as const;

const nameOf = (facts: EventFacts): string => {
  const found = statusOfEvent(facts);
  if (found.status === "billed") return `billed ${found.feeIds}`.trim();
  return found.status === "open" ? "open" : found.reason;
};

describe("an event is", () => {
  const cases: readonly (readonly [what: string, facts: EventFacts, status: string])[] = [
    ["open in the period that is open", OPEN, "open"],
    [
      "open if its period is over and its invoice is not finalized",
      { ...OPEN, at: day(40), lives: [{ ...LIFE, unfinished: [{ from: day(30), to: day(60) }] }] },
      "open",
    ],
    ["open in a draft, with any fees", { ...OPEN, heldBy: { ...HELD, invoice: "draft" } }, "open"],
    [
      "open for a pending subscription that will have started",
      { ...OPEN, at: day(95), lives: [ENDED, WAITING] },
      "open",
    ],
    [
      "open until it was processed in advance, even if its period is over",
      { ...OPEN, at: day(40), lives: [{ ...LIFE, charges: ADVANCE }] },
      "open",
    ],
    ["billed with its fees", { ...OPEN, heldBy: { ...HELD, fees: [fee("a"), fee("b")] } }, "billed a,b"],
    ["billed without a fee, if its fees came to nothing", { ...OPEN, heldBy: { ...HELD, fees: [] } }, "billed"],
    ["billed in advance, and in arrears", { ...OPEN, advanceFees: [fee("x")], heldBy: HELD }, "billed x,a"],
    [
      "billed by the fees that are not deleted or voided",
      { ...OPEN, advanceFees: [fee("x", false)], heldBy: HELD },
      "billed a",
    ],
    ["billed in advance while its window is open", { ...OPEN, advanceFees: [fee("x")] }, "billed x"],
    ["open while its fee in advance is parked", { ...OPEN_IN_ADVANCE, parked: "parked" }, "open"],
    ["not billed once that was skipped", { ...OPEN_IN_ADVANCE, parked: "skipped" }, "skipped_by_operator"],
    ["billed once that was retried", { ...OPEN_IN_ADVANCE, parked: "retried", advanceFees: [fee("x")] }, "billed x"],
    [
      "not billed if its subscription ended without an invoice",
      { ...OPEN, at: day(62), lives: [SKIPPED_AT_END] },
      "skipped_at_end",
    ],
    [
      "not billed for its own reason in a period that no invoice bills",
      { ...OPEN, at: day(62), isCounted: false, lives: [SKIPPED_AT_END] },
      "invalid_property",
    ],
    [
      "not billed for another reason in a period before that",
      { ...OPEN, at: day(62), lives: [{ ...SKIPPED_AT_END, charges: NONE }] },
      "no_charge",
    ],
    ["not billed if its invoice was skipped", { ...OPEN, at: day(40), lives: [SKIPPED] }, "skipped_by_operator"],
    ["invalid there all the same", { ...OPEN, at: day(40), isCounted: false, lives: [SKIPPED] }, "invalid_property"],
    ["late if a finalized window was read before it arrived", { ...OPEN, at: day(40), wasMissed: true }, "late"],
    [
      "late even if its metric is deleted",
      { ...OPEN, at: day(40), wasMissed: true, aggregation: null, isCounted: false },
      "late",
    ],
    ["before every start", { ...OPEN, at: day(9) }, "before_start"],
    ["after the end, at its exact instant", { ...OPEN, at: day(65), lives: [ENDED] }, "after_end"],
    [
      "after an end and before the next start",
      { ...OPEN, at: day(70), lives: [ENDED, { ...LIFE, beginsAt: day(80) }] },
      "after_end",
    ],
    [
      "before the first period that is billed",
      { ...OPEN, at: day(20), lives: [{ ...LIFE, periods: { firstFrom: day(30), openFrom: day(60) } }] },
      "before_billing_began",
    ],
    [
      "processed before its charge in advance existed",
      { ...OPEN, wasLookedAt: true, lives: [{ ...LIFE, charges: ADVANCE }] },
      "before_billing_began",
    ],
    ["without a charge", { ...OPEN, lives: [{ ...LIFE, charges: NONE }] }, "no_charge"],
    ["without the charge that its final window did not have", { ...OPEN, at: day(40) }, "no_charge"],
    [
      "without a charge any more",
      { ...OPEN, lives: [{ ...LIFE, charges: { ...NONE, wasRemoved: true } }] },
      "charge_removed",
    ],
    ["of no metric", { ...OPEN, aggregation: null, isCounted: false }, "unknown_code"],
    [
      "of no metric, with any subscription",
      { ...OPEN, aggregation: null, isCounted: false, lives: [] },
      "unknown_code",
    ],
    ["of no subscription", { ...OPEN, lives: [] }, "no_subscription"],
    ["without the field that its metric counts", { ...OPEN, isCounted: false }, "invalid_property"],
    ["without it in a final window", { ...OPEN, heldBy: { ...HELD, isCounted: false } }, "invalid_property"],
    ["without it and late", { ...OPEN, at: day(40), isCounted: false, wasMissed: true }, "invalid_property"],
    [
      "on an invoice that was voided",
      { ...OPEN, heldBy: { invoice: "voided", isCounted: true, fees: [] } },
      "invoice_voided",
    ],
    ["of a fee in advance that was taken back", { ...OPEN, advanceFees: [fee("x", false)] }, "invoice_voided"],
    ["recurring, and the next window holds it", { ...RECURRING, at: day(40), wasMissed: true }, "open"],
    [
      "recurring, in a gap before a life that has its history",
      { ...RECURRING, at: day(70), lives: [ENDED, { ...LIFE, beginsAt: day(80) }] },
      "open",
    ],
    ["recurring, and nothing follows", { ...RECURRING, at: day(40), wasMissed: true, lives: [ENDED] }, "late"],
    [
      "recurring, and the last window is not final",
      {
        ...RECURRING,
        at: day(40),
        wasMissed: true,
        lives: [{ ...ENDED, unfinished: [{ from: day(60), to: day(65) }] }],
      },
      "open",
    ],
    [
      "recurring, of an earlier customer with the id",
      {
        ...RECURRING,
        at: day(40),
        lives: [ENDED, { ...LIFE, beginsAt: day(80), historyFrom: day(80) }],
        wasMissed: true,
      },
      "late",
    ],
    [
      "recurring and paid in advance: the next renewal holds it",
      { ...RECURRING, wasLookedAt: true, lives: [{ ...LIFE, charges: ADVANCE }] },
      "open",
    ],
  ];
  test.each(cases)("%s", (_, facts, status) => {
    expect(nameOf(facts)).toBe(status);
  });
});

const instants = fc.integer({ min: 0, max: 100 }).map(day);
const fees = fc.array(fc.record({ id: fc.string(), stands: fc.boolean() }), { maxLength: 2 });
const lives: fc.Arbitrary<Life> = fc.record({
  beginsAt: instants,
  endsAt: fc.option(instants),
  historyFrom: instants,
  periods: fc.option(fc.record({ firstFrom: instants, openFrom: instants })),
  unfinished: fc.array(fc.record({ from: instants, to: instants }), { maxLength: 2 }),
  skipped: fc.array(fc.record({ from: instants, to: instants }), { maxLength: 2 }),
  skippedAtEnd: fc.option(fc.record({ from: instants, to: instants })),
  charges: fc.record({ inArrears: fc.boolean(), inAdvance: fc.boolean(), wasRemoved: fc.boolean() }),
});
const anyFacts: fc.Arbitrary<EventFacts> = fc.record({
  at: instants,
  aggregation: fc.constantFrom(
    null,
    { type: "count" } as const,
    { type: "sum", field: "v", isRecurring: true } as const,
  ),
  isCounted: fc.boolean(),
  advanceFees: fees,
  wasLookedAt: fc.boolean(),
  parked: fc.constantFrom("parked", "retried", "skipped", null),
  heldBy: fc.option(
    fc.record({ invoice: fc.constantFrom("draft", "finalized", "voided"), isCounted: fc.boolean(), fees }),
  ),
  wasMissed: fc.boolean(),
  lives: fc.array(lives, { maxLength: 3 }),
});

describe("for any event", () => {
  const check = (holds: (facts: EventFacts) => boolean) => fc.assert(fc.property(anyFacts, holds), { numRuns: 5000 });

  test("it has exactly one status: only a billed event has fees, and only an unbilled one has a reason", () => {
    check((facts) => {
      const { status, ...rest } = statusOfEvent(facts);
      const members = Object.keys(rest).join();
      if (status === "not_billed") return members === "reason" && NOT_BILLED_REASONS.includes(Object(rest).reason);
      return members === (status === "billed" ? "feeIds" : "");
    });
  });

  test("it is billed if it has an active fee in advance, and all of its fees are active", () => {
    check((facts) => {
      const found = statusOfEvent(facts);
      const known = [...facts.advanceFees, ...(facts.heldBy?.fees ?? [])];
      const names = found.status === "billed" ? found.feeIds : [];
      const isBilled = found.status === "billed" || !facts.advanceFees.some(({ stands }) => stands);
      return isBilled && names.every((id) => known.some((fee) => fee.id === id && fee.stands));
    });
  });

  test("without a subscription and without a window, it is neither open nor late", () => {
    check((facts) => {
      const found = statusOfEvent({
        ...facts,
        lives: [],
        parked: null,
        heldBy: null,
        advanceFees: [],
        wasMissed: false,
      });
      return found.status === "not_billed" && ["no_subscription", "unknown_code"].includes(found.reason);
    });
  });

  test("an event without the counted field is never open", () => {
    check((facts) => {
      const heldBy = facts.heldBy && { ...facts.heldBy, isCounted: false };
      return statusOfEvent({ ...facts, isCounted: false, heldBy }).status !== "open";
    });
  });

  test("an unknown code or a missing property is reported if it is the reason, and never for an event that is or may be billed", () => {
    check((facts) => {
      const found = statusOfEvent(facts);
      const faults = faultsOfEvent({ ...facts, lacksDimension: false }, found);
      if (found.status !== "not_billed") return faults.length === 0;
      const isUnknown = facts.aggregation === null || found.reason === "unknown_code";
      const isInvalid = found.reason === "invalid_property" || (facts.aggregation !== null && !facts.isCounted);
      return (
        faults.includes("invalid_code") === isUnknown && faults.includes("missing_aggregation_property") === isInvalid
      );
    });
  });

  test("a missing dimension is reported, even if the charge itself bills the event", () => {
    check((facts) =>
      faultsOfEvent({ ...facts, lacksDimension: true }, statusOfEvent(facts)).includes("missing_group_key"),
    );
  });
});
