// Standalone fees are paid one by one. A paid fee does not change, and one invoice regroups paid fees when a period ends.

import { type Cast, story } from "./dsl/story.ts";

/** 2.00 per call, billed as a standalone fee on arrival. */
async function sellCalls({ given }: Cast): Promise<void> {
  await given.metric("calls", "count");
  await given.plan("api", { monthly: "0.00", metered: { calls: { each: "2.00", paid: "in advance", alone: true } } });
}

/** 12.00 per seat, billed as a standalone fee when it is added and when a month begins. */
async function sellSeats({ given }: Cast): Promise<void> {
  await given.metric("seats", { unique: "user", recurring: true });
  await given.plan("team", { monthly: "5.00", metered: { seats: { each: "12.00", paid: "in advance", alone: true } } });
}

story("A paid fee keeps its id and amount when the draft of its period is recomputed", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellSeats(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("team");
  await acme.adds("seats", "ann", { on: "2024-01-01 10:00" });
  await clock.is("2024-02-01");
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Seats 1  pending  12.00
    B  2024-02-01  Seats 1  pending  12.00`);
  await office.feeIs(acme, "B", "succeeded");
  await office.refreshes(acme);
  const asPaid = `
    A  2024-01-01  Seats 1  pending    12.00
    B  2024-02-01  Seats 1  succeeded  12.00`;
  await then.feesAloneOf(acme).read(asPaid);
  await clock.is("2024-02-06");
  await then.feesAloneOf(acme).read(asPaid);
  await clock.is("2024-03-01");
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Seats 1  pending              12.00
    B  2024-02-01  Seats 1  succeeded, invoiced  12.00
    C  2024-03-01  Seats 1  pending              12.00`);
});

story("A deleted fee does not return when its draft is recomputed", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellSeats(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("team");
  await acme.adds("seats", "ann", { on: "2024-01-01 10:00" });
  await clock.is("2024-02-01");
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Seats 1  pending  12.00
    B  2024-02-01  Seats 1  pending  12.00`);
  await office.deletesFee(acme, "B");
  await office.refreshes(acme);
  await clock.is("2024-02-06");
  await then.feesAloneOf(acme).read("A  2024-01-01  Seats 1  pending  12.00");
});

story("A draft is finalized even if its paid fee is already on another invoice", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellSeats(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "10 days" }).subscribesTo("team");
  await acme.adds("seats", "ann", { on: "2024-01-01 10:00" });
  await clock.is("2024-02-01");
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Seats 1  pending  12.00
    B  2024-02-01  Seats 1  pending  12.00`);
  await office.feeIs(acme, "B", "succeeded");
  await clock.is("2024-02-03 10:00");
  await acme.leaves();
  await clock.is("2024-02-14");
  // The regrouped fee at the end, the draft of February 1 after ten days, the last days of 5.00: 3 of 29, 0.5172…
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-03  12.00
    INV-001-002  2024-02-11   5.00
    INV-001-003  2024-02-13   0.52`);
});

story("A paid or refunded fee cannot be deleted; a failed one can", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("api");
  await acme.uses("calls", 3, { on: "2024-01-01 10:00" });
  await clock.is("2024-01-02");
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Calls 1  pending  2.00
    B  2024-01-01  Calls 1  pending  2.00
    C  2024-01-01  Calls 1  pending  2.00`);
  await office.feeIs(acme, "A", "succeeded");
  await office.feeIs(acme, "B", "succeeded");
  await office.feeIs(acme, "B", "refunded");
  await office.feeIs(acme, "C", "succeeded");
  await office.feeIs(acme, "C", "failed");
  await then.refused(office.deletesFee(acme, "A"), "paid_fee");
  await then.refused(office.deletesFee(acme, "B"), "paid_fee");
  await office.deletesFee(acme, "C");
  await clock.is("2024-02-01");
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Calls 1  succeeded, invoiced  2.00
    B  2024-01-01  Calls 1  refunded             2.00`);
});

story("Fees that are paid after the end are on one invoice when the next period would have begun", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("api");
  await acme.uses("calls", 4, { on: "2024-01-01 10:00" });
  await clock.is("2024-01-10 10:00");
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Calls 1  pending  2.00
    B  2024-01-01  Calls 1  pending  2.00
    C  2024-01-01  Calls 1  pending  2.00
    D  2024-01-01  Calls 1  pending  2.00`);
  await office.feeIs(acme, "A", "succeeded");
  await acme.leaves();
  await clock.is("2024-01-20");
  await office.feeIs(acme, "B", "succeeded");
  await clock.is("2024-01-25");
  await office.feeIs(acme, "C", "succeeded");
  await clock.is("2024-01-31 23:59:59");
  // At the end, with what was paid by then: the fee, and the plan at 0.00.
  const atEnd = `
    INV-001-001  2024-01-10  0.00
    INV-001-002  2024-01-10  2.00`;
  await then.invoicesOf(acme).read(atEnd);
  await clock.is("2024-02-01");
  const inFebruary = `${atEnd}
    INV-001-003  2024-02-01  4.00`;
  await then.invoicesOf(acme).read(inFebruary);
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-003 of 2024-02-01, due 2024-02-01, paid
    2024-01-01 to 2024-01-31
    Calls      1 × 2.00  2.00
    Calls      1 × 2.00  2.00
    Total EUR            4.00`);
  await clock.is("2024-03-10");
  await then.invoicesOf(acme).read(inFebruary);
  await office.feeIs(acme, "D", "succeeded");
  await clock.is("2024-04-01");
  await then.invoicesOf(acme).read(`${inFebruary}
    INV-001-004  2024-04-01  2.00`);
});

story("A fee that is paid twice counts once, from the first time; a refunded fee is on no invoice", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("api");
  await acme.uses("calls", 2, { on: "2024-01-01 10:00" });
  await clock.is("2024-01-10 10:00");
  await acme.leaves();
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Calls 1  pending  2.00
    B  2024-01-01  Calls 1  pending  2.00`);
  await office.feeIs(acme, "A", "succeeded");
  await office.feeIs(acme, "B", "succeeded");
  await clock.is("2024-01-20");
  await office.feeIs(acme, "A", "succeeded");
  await office.feeIs(acme, "B", "refunded");
  await clock.is("2024-03-01");
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Calls 1  succeeded, invoiced  2.00
    B  2024-01-01  Calls 1  refunded             2.00`);
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-10  0.00
    INV-001-002  2024-02-01  2.00`);
});

story("Fees of a deleted customer and of a deleted plan are still paid and invoiced", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("api");
  const other = await given.customer("other").subscribesTo("api", { anniversary: true, starts: "2024-01-01" });
  await acme.uses("calls", 2, { on: "2024-01-01 10:00" });
  await other.uses("calls", 1, { on: "2024-01-01 10:00" });
  await clock.is("2024-01-10 10:00");
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Calls 1  pending  2.00
    B  2024-01-01  Calls 1  pending  2.00`);
  await then.feesAloneOf(other).read("C  2024-01-01  Calls 1  pending  2.00");
  await office.feeIs(acme, "A", "succeeded");
  await office.deletesCustomer(acme);
  await office.deletesPlan("api");
  await clock.is("2024-01-20");
  await office.feeIs(acme, "B", "succeeded");
  await office.feeIs(other, "C", "succeeded");
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-10  0.00
    INV-001-002  2024-01-10  2.00
    INV-001-003  2024-02-01  2.00`);
  await then.invoicesOf(other).read(`
    INV-002-001  2024-01-10  0.00
    INV-002-002  2024-02-01  2.00`);
});

story("An ended subscription gets its own invoice for late payments, apart from an active one", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("api", { as: "first" });
  await acme.subscribesTo("api", { as: "second" });
  await acme.uses("calls", 1, { on: "2024-01-01 10:00", of: "first" });
  await acme.uses("calls", 1, { on: "2024-01-01 11:00", of: "second" });
  await clock.is("2024-01-10 10:00");
  await then.feesAloneOf(acme).read(`
    A  2024-01-01  Calls 1  pending  2.00
    B  2024-01-01  Calls 1  pending  2.00`);
  await acme.leaves("first");
  await clock.is("2024-01-20");
  await office.feeIs(acme, "A", "succeeded");
  await office.feeIs(acme, "B", "succeeded");
  await clock.is("2024-02-01");
  // At the end of the first one; in February the period of the second one, its paid fee, and the paid fee of the first.
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-10  0.00
    INV-001-002  2024-02-01  0.00
    INV-001-003  2024-02-01  2.00
    INV-001-004  2024-02-01  2.00`);
});
