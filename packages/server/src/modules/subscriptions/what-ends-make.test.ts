import { describe, expect, it, test } from "vitest";
import { type Answer, startTallystick } from "../../testing/start-tallystick.ts";
import {
  type SubscribedCustomer,
  type SubscriptionRequest,
  subscribeCustomer,
} from "../../testing/subscribed-customer.ts";
import { verify } from "../../verify/index.ts";

const { call, drain, platform } = await startTallystick();

const START = "2024-01-01T00:00:00Z";
/** On January 10, 21 of 31 days are unused. */
const END = "2024-01-10T12:00:00Z";
const LATER = "2024-03-02T00:00:00Z";

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
const pathOf = ({ subscription }: SubscribedCustomer) => `/subscriptions/${encodeURIComponent(subscription)}`;
const planOf = ({ mark }: SubscribedCustomer) => `plan ${mark}`;
const of = ({ customer }: SubscribedCustomer) => `external_customer_id=${encodeURIComponent(customer)}`;

/** 31.00 a month, by default in advance, and 1.00 for each of 3 calls. */
async function subscribe(request: Partial<SubscriptionRequest> = {}): Promise<SubscribedCustomer> {
  const acme = await subscribeCustomer(call, {
    now: START,
    metrics: { calls: { aggregation_type: "count_agg" } },
    charges: [{ metric: "calls", properties: { amount: "1" } }],
    ...request,
    plan: { amount_cents: 3100, pay_in_advance: true, ...request.plan },
  });
  await acme.advanceTo("2024-01-05T00:00:00Z");
  await acme.send("calls", {}, {}, {});
  return acme;
}

const invoicesOf = async (acme: SubscribedCustomer) => {
  const { invoices } = await must(call("GET", `/invoices?${of(acme)}`));
  return (invoices as { svc_id: string; fees_amount_cents: number; status: string }[]).toReversed();
};
const feesAmountsOf = async (acme: SubscribedCustomer) =>
  (await invoicesOf(acme)).map(({ fees_amount_cents: amount }) => amount);
async function pay(acme: SubscribedCustomer): Promise<void> {
  for (const { svc_id } of await invoicesOf(acme))
    await must(call("PUT", `/invoices/${svc_id}`, { invoice: { payment_status: "succeeded" } }));
}
const notesOf = async (acme: SubscribedCustomer) =>
  (await must(call("GET", `/credit_notes?${of(acme)}`))).credit_notes.map(
    ({ credit_amount_cents: credit, refund_amount_cents: refund }: Record<string, number>) => ({ credit, refund }),
  );
const eventsOf = async ({ subscription }: SubscribedCustomer) =>
  (await must(call("GET", `/events?external_subscription_id=${encodeURIComponent(subscription)}`))).events.map(
    ({ status, reason }: { status: string; reason: string | null }) => reason ?? status,
  );
const shown = async (acme: SubscribedCustomer, status = "active") => {
  const { on_termination_credit_note: note, on_termination_invoice: invoice } = (
    await must(call("GET", `${pathOf(acme)}?status=${status}`))
  ).subscription;
  return [note, invoice];
};
const agree = (acme: SubscribedCustomer, subscription: object) => must(call("PUT", pathOf(acme), { subscription }));

async function expectNothingBroken(): Promise<void> {
  await drain();
  const findings = await verify(platform.config.DATABASE_URL);
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
}

type End = (acme: SubscribedCustomer) => Promise<unknown>;
const ENDS: Readonly<Record<string, End>> = {
  "by DELETE": async (acme) => {
    await acme.advanceTo(END);
    await must(call("DELETE", pathOf(acme)));
  },
  "at its time": async (acme) => {
    await agree(acme, { ending_at: END });
    await acme.advanceTo(END);
  },
  "with its customer": async (acme) => {
    await acme.advanceTo(END);
    await must(call("DELETE", `/customers/${encodeURIComponent(acme.customer)}`));
  },
  "with its plan": async (acme) => {
    await acme.advanceTo(END);
    await must(call("DELETE", `/plans/${encodeURIComponent(planOf(acme))}`));
    await drain();
  },
};

const NOTES = {
  credit: [{ credit: 2100, refund: 0 }],
  refund: [{ credit: 0, refund: 2100 }],
  skip: [],
};
const INVOICES = { generate: [3100, 300], skip: [3100] };
const VALUES = (["credit", "refund", "skip"] as const).flatMap((note) =>
  (["generate", "skip"] as const).map((invoice) => [note, invoice] as const),
);

describe.each(Object.entries(ENDS))("an end %s", (_, end) => {
  it.each(VALUES)("gives back by %s, and bills by %s", async (on_termination_credit_note, on_termination_invoice) => {
    const acme = await subscribe({ subscription: { on_termination_credit_note, on_termination_invoice } });
    await pay(acme);
    await end(acme);
    await drain();
    expect(await notesOf(acme)).toEqual(NOTES[on_termination_credit_note]);
    expect(await feesAmountsOf(acme)).toEqual(INVOICES[on_termination_invoice]);
    const status = on_termination_invoice === "skip" ? "skipped_at_end" : "billed";
    expect(await eventsOf(acme)).toEqual([status, status, status]);
    await acme.advanceTo(LATER);
    expect(await feesAmountsOf(acme)).toEqual(INVOICES[on_termination_invoice]);
    expect(await shown(acme, "terminated")).toEqual([on_termination_credit_note, on_termination_invoice]);
    await expectNothingBroken();
  });
});

describe("the members", () => {
  test("are credit and generate if nothing is said, and again where null is said", async () => {
    const acme = await subscribe();
    expect(await shown(acme)).toEqual(["credit", "generate"]);
    await agree(acme, { on_termination_credit_note: "skip", on_termination_invoice: "skip" });
    expect(await shown(acme)).toEqual(["skip", "skip"]);
    await agree(acme, { name: "Other" });
    expect(await shown(acme)).toEqual(["skip", "skip"]);
    await agree(acme, { on_termination_credit_note: null, on_termination_invoice: null });
    expect(await shown(acme)).toEqual(["credit", "generate"]);
  });

  test("in DELETE override what was agreed, each on its own, and are kept", async () => {
    const acme = await subscribe({ subscription: { on_termination_invoice: "skip" } });
    await acme.advanceTo(END);
    const { subscription } = await must(call("DELETE", `${pathOf(acme)}?on_termination_credit_note=skip`));
    expect(subscription).toMatchObject({ on_termination_credit_note: "skip", on_termination_invoice: "skip" });
    expect(await shown(acme, "terminated")).toEqual(["skip", "skip"]);
    expect([await notesOf(acme), await feesAmountsOf(acme)]).toEqual([[], [3100]]);
  });

  test("show null for the credit note of a plan in arrears, whatever was said", async () => {
    const acme = await subscribe({
      plan: { pay_in_advance: false },
      subscription: { on_termination_credit_note: "refund" },
    });
    expect(await shown(acme)).toEqual([null, "generate"]);
    await agree(acme, { on_termination_credit_note: "skip" });
    expect(await shown(acme)).toEqual([null, "generate"]);
    await must(call("DELETE", `${pathOf(acme)}?on_termination_credit_note=credit&on_termination_invoice=skip`));
    expect(await shown(acme, "terminated")).toEqual([null, "skip"]);
    await acme.advanceTo(LATER);
    // Neither its usage nor its base fee.
    expect(await feesAmountsOf(acme)).toEqual([]);
    await expectNothingBroken();
  });

  it.each(["on_termination_credit_note", "on_termination_invoice"])(
    "%s refuses what it does not know",
    async (member) => {
      const acme = await subscribe();
      const refusal = { status: 422, body: { error_details: { [member]: ["value_is_invalid"] } } };
      expect(await call("PUT", pathOf(acme), { subscription: { [member]: "offset" } })).toMatchObject(refusal);
      expect(await call("DELETE", `${pathOf(acme)}?${member}=offset`)).toMatchObject(refusal);
      expect(await shown(acme)).toEqual(["credit", "generate"]);
    },
  );
});

describe("a refund", () => {
  const refunding = { subscription: { on_termination_credit_note: "refund" } };

  test("of an unpaid invoice is a credit", async () => {
    const acme = await subscribe(refunding);
    await ENDS["by DELETE"]?.(acme);
    expect(await notesOf(acme)).toEqual([{ credit: 2100, refund: 0 }]);
    await expectNothingBroken();
  });

  test("of an invoice partly paid by a wallet is only what was paid in money", async () => {
    const external = { external_customer_id: "", rate_amount: "1", granted_credits: "20" };
    const acme = await subscribe({
      ...refunding,
      subscription: { ...refunding.subscription, subscription_at: "2024-01-03T00:00:00Z" },
    });
    await must(
      call("POST", "/wallets", {
        wallet: { ...external, external_customer_id: acme.customer, name: "w", currency: "EUR" },
      }),
    );
    await acme.advanceTo("2024-02-01T00:00:00Z");
    await pay(acme);
    // February: 31.00 and 3.00 of usage, less 20.00 of the wallet, so 14.00 were paid in money. 19 of 29 days are 20.31.
    await acme.advanceTo("2024-02-10T12:00:00Z");
    await must(call("DELETE", pathOf(acme)));
    expect(await notesOf(acme)).toEqual([{ credit: 631, refund: 1400 }]);
    await expectNothingBroken();
  });

  test("of a draft is a credit when the draft is final, and a skipped one is none", async () => {
    for (const [note, expected] of [
      ["refund", [{ credit: 2100, refund: 0 }]],
      ["skip", []],
    ] as const) {
      const acme = await subscribe({
        customer: { billing_configuration: { invoice_grace_period: 20 } },
        subscription: { on_termination_credit_note: note, on_termination_invoice: "skip" },
      });
      await ENDS["by DELETE"]?.(acme);
      expect((await invoicesOf(acme)).map(({ status }) => status)).toEqual(["draft"]);
      await acme.advanceTo("2024-01-22T00:00:00Z");
      expect((await invoicesOf(acme)).map(({ status }) => status)).toEqual(["finalized"]);
      expect(await notesOf(acme)).toEqual(expected);
    }
    await expectNothingBroken();
  });
});

describe("a minimum commitment of 50.00", () => {
  // Until January 10, 10 of 31 days: 16.13.
  const committed = (subscription: Record<string, unknown>) =>
    subscribe({ plan: { minimum_commitment: { amount_cents: 5000 } }, subscription });

  it.each([
    // The net fee is 10.00, the usage 3.00.
    ["credit", [3100, 300 + 313]],
    // The whole fee of 31.00 counts.
    ["skip", [3100, 300]],
  ])("counts what the credit note leaves: %s", async (on_termination_credit_note, amounts) => {
    const acme = await committed({ on_termination_credit_note, ending_at: END });
    await pay(acme);
    const request = { external_subscription_id: acme.subscription };
    const { invoice } = await must(call("POST", "/invoices/preview", { invoice: request }));
    expect(invoice).toMatchObject({ fees_amount_cents: amounts.at(-1) });
    await acme.advanceTo(END);
    expect(await feesAmountsOf(acme)).toEqual(amounts);
    await expectNothingBroken();
  });

  test("is not billed by an end that is not billed", async () => {
    const acme = await committed({ on_termination_invoice: "skip" });
    await ENDS["by DELETE"]?.(acme);
    await acme.advanceTo(LATER);
    expect(await feesAmountsOf(acme)).toEqual([3100]);
    await expectNothingBroken();
  });
});

describe("an end that is not billed", () => {
  const skipping = { subscription: { on_termination_invoice: "skip" } };

  test("leaves the periods before it billed, and bills nothing of a last period that was complete", async () => {
    const acme = await subscribe({ ...skipping, plan: { pay_in_advance: false } });
    await agree(acme, { ending_at: "2024-03-01T00:00:00Z" });
    await acme.advanceTo(LATER);
    expect(await feesAmountsOf(acme)).toEqual([3100 + 300]);
    expect(await eventsOf(acme)).toEqual(["billed", "billed", "billed"]);
    await expectNothingBroken();
  });

  test("leaves its days to no later subscription with its external_id", async () => {
    const acme = await subscribe(skipping);
    await ENDS["by DELETE"]?.(acme);
    const again = { external_customer_id: acme.customer, external_id: acme.subscription, plan_code: planOf(acme) };
    await must(call("POST", "/subscriptions", { subscription: { ...again, subscription_at: START } }));
    await acme.advanceTo("2024-02-01T00:00:00Z");
    // The new one begins where the other ended, and is billed from its next period on, without the usage before it.
    expect(await feesAmountsOf(acme)).toEqual([3100, 3100]);
    expect(await eventsOf(acme)).toEqual(["skipped_at_end", "skipped_at_end", "skipped_at_end"]);
    await expectNothingBroken();
  });

  test("invoices paid fees of its charges in advance when its period would have ended", async () => {
    const acme = await subscribe({
      ...skipping,
      charges: [
        {
          metric: "calls",
          pay_in_advance: true,
          invoiceable: false,
          regroup_paid_fees: "invoice",
          properties: { amount: "1" },
        },
      ],
    });
    await drain();
    const path = `/fees?external_subscription_id=${encodeURIComponent(acme.subscription)}&fee_type=charge`;
    const [fee] = (await must(call("GET", path))).fees;
    await must(call("PUT", `/fees/${fee.svc_id}`, { fee: { payment_status: "succeeded" } }));
    await ENDS["by DELETE"]?.(acme);
    expect(await feesAmountsOf(acme)).toEqual([3100]);
    await acme.advanceTo("2024-02-01T00:00:00Z");
    expect(await feesAmountsOf(acme)).toEqual([3100, 100]);
    await expectNothingBroken();
  });

  test("leaves nothing of its usage to the ongoing balance of a wallet", async () => {
    const acme = await subscribe(skipping);
    const terms = { name: "w", rate_amount: "1", granted_credits: "20", currency: "EUR" };
    const { wallet } = await must(
      call("POST", "/wallets", { wallet: { ...terms, external_customer_id: acme.customer } }),
    );
    await acme.advanceTo("2024-01-06T00:00:00Z");
    await drain();
    const ongoing = async () => (await must(call("GET", `/wallets/${wallet.svc_id}`))).wallet.ongoing_balance_cents;
    expect(await ongoing()).toBe(1700);
    await ENDS["by DELETE"]?.(acme);
    await drain();
    expect(await ongoing()).toBe(2000);
  });

  test("is previewed as what it makes: nothing", async () => {
    const acme = await subscribe(skipping);
    const preview = () =>
      call("POST", "/invoices/preview", { invoice: { external_subscription_id: acme.subscription } });
    expect((await must(preview())).invoice).toMatchObject({ issuing_date: "2024-02-01" });
    await agree(acme, { ending_at: END });
    expect(await preview()).toMatchObject({ status: 405, body: { code: "nothing_to_invoice" } });
    await agree(acme, { on_termination_invoice: "generate" });
    expect((await must(preview())).invoice).toMatchObject({ issuing_date: "2024-01-10", fees_amount_cents: 300 });
  });
});

describe("a change of plan is no end", () => {
  const skipping = { on_termination_credit_note: "skip", on_termination_invoice: "skip" };
  const change = async (acme: SubscribedCustomer, amount_cents: number, more: object = {}) => {
    const terms = { interval: "monthly", amount_currency: "EUR", pay_in_advance: true, charges: [] };
    const code = `other ${acme.mark}`;
    await must(call("POST", "/plans", { plan: { name: code, code, amount_cents, ...terms } }));
    const subscription = { external_customer_id: acme.customer, external_id: acme.subscription, plan_code: code };
    return (await must(call("POST", "/subscriptions", { subscription: { ...subscription, ...more } }))).subscription;
  };

  test("an upgrade is billed and credited as always, and what was agreed goes on", async () => {
    const acme = await subscribe({ subscription: skipping });
    await pay(acme);
    await acme.advanceTo(END);
    expect(await change(acme, 6200)).toMatchObject(skipping);
    // 22 days, the day of the change included.
    expect(await notesOf(acme)).toEqual([{ credit: 2200, refund: 0 }]);
    expect(await feesAmountsOf(acme)).toEqual([3100, 4400 + 300]);
    await must(call("DELETE", pathOf(acme)));
    expect([(await notesOf(acme)).length, (await invoicesOf(acme)).length]).toEqual([1, 2]);
    await expectNothingBroken();
  });

  test("a downgrade is billed as always; its successor ends as was agreed with it, or since", async () => {
    const acme = await subscribe({ subscription: skipping });
    await change(acme, 100, { on_termination_credit_note: "refund" });
    await agree(acme, { on_termination_invoice: "generate" });
    await acme.advanceTo("2024-02-01T00:00:00Z");
    expect(await feesAmountsOf(acme)).toEqual([3100, 100 + 300]);
    expect(await shown(acme)).toEqual(["refund", "generate"]);
    await expectNothingBroken();
  });
});
