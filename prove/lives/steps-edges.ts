/** What is rare and at an edge: limits, a clock that is asked twice or is on its way, the next invoice predicted, another way to number. */
import { SUMS } from "./catalogue.ts";
import { instantOf } from "./days.ts";
import { demand } from "./demand.ts";
import type { Dice } from "./dice.ts";
import type { Invoice, Transaction, Usage } from "./documents.ts";
import { periodsOf } from "./model/periods.ts";
import type { Life } from "./model/world.ts";
import type { StepKind } from "./step-kind.ts";
import { activeOnes, moveTo, nextBoundary } from "./steps-subscriptions.ts";
import { send } from "./steps-usage.ts";
import { SWITCHES } from "./switches.ts";
import { allTerms, nowIn } from "./terms.ts";
import { drawProperties } from "./traffic.ts";
import { CUSTOMER, type TooLarge, type World } from "./world.ts";

const DAYS_TO_PREVIEW = 100;
const DAY = 86_400;

/** As a client does that did not see the answer. */
async function advanceAgain(world: World): Promise<void> {
  await world.session.advance(nowIn(world));
}

/** While the clock is on its way, which it is made to be: no worker takes it there, and then it is called off. */
async function payWhileAdvancing(world: World, dice: Dice): Promise<void> {
  const { session, clockId } = world;
  const fee = dice.anyOf(world.documents.alone);
  if (!fee) return;
  await session.stage.pool.query(
    `update test_clocks set advancing_to = now + interval '1 second', ready_at = now() + interval '100 years' where id = $1`,
    [clockId],
  );
  const answer = await session.request("PUT", `/fees/${fee.svc_id}`, { fee: { payment_status: "succeeded" } });
  demand("paidWhileAdvancing", answer.body.code === "test_clock_advancing", () => answer);
  await session.must("POST", `/test_clocks/${clockId}/cancel`);
}

/** Of an amount that does not fit, or with 19 digits: it waits for an operator, or counts for nothing, and all others are billed. */
async function useTooMuch(world: World, dice: Dice): Promise<void> {
  const limit = dice.oneOf<TooLarge["limit"]>(["amount", "digits"]);
  const life = dice.anyOf(activeOnes(world).filter((each) => limit === "digits" || chargesJobs(world, each)));
  if (!life) return;
  const transactionId = `too-large-${world.tooLarge.length + 1}`;
  await world.session.must("POST", "/events", {
    event: {
      transaction_id: transactionId,
      external_subscription_id: life.externalId,
      code: limit === "amount" ? "jobs" : dice.oneOf(SUMS),
      timestamp: world.now,
      properties: { value: limit === "amount" ? "100000000000000" : "1000000000000000000" },
    },
  });
  world.tooLarge.push({ transactionId, limit });
}

/** At the very instant at which it begins, an event is of either plan. */
const chargesJobs = (world: World, life: Life): boolean =>
  life.begun !== null &&
  instantOf(life.begun.at) < world.now &&
  (allTerms(world, life)
    .at(-1)
    ?.charges.some(({ metric }) => metric === "jobs") ??
    false);

async function renumber(world: World, dice: Dice): Promise<void> {
  const document_numbering = dice.oneOf(["per_customer", "per_organization"]);
  await world.session.must("PUT", "/organizations", { organization: { document_numbering } });
}

/** The next invoice is predicted, then the clock goes there and nothing else happens. */
async function preview(world: World, dice: Dice): Promise<void> {
  const life = dice.anyOf(activeOnes(world));
  const trial = life?.begun?.trial;
  if (!life || (trial && instantOf(trial.endsAt) > world.now)) return;
  const { fee, charges } = periodsOf(world.model, life, world.model.now);
  const ends = [fee.at(-1), charges.at(-1)].flatMap((period) => (period ? instantOf(period.to) : []));
  // A plan that replaced one before it began is billed when it begins.
  const start = instantOf(life.begun?.at ?? world.model.now);
  const at = life.previous && start > world.now ? start : Math.min(...ends);
  const isAwaited = world.model.lives.some(({ status, previous }) => status === "pending" && previous !== null);
  if (isAwaited && !SWITCHES.previewOfDowngrade) return;
  const isEnding = life.endingAt !== null && instantOf(life.endingAt) <= at;
  if (isEnding || at > world.now + DAYS_TO_PREVIEW * DAY) return;
  const { externalId } = life;
  const usage = at - world.now === 1 ? await readUsage(world, life) : undefined;
  const { invoice } = await world.session.must<{ invoice: Invoice }>("POST", "/invoices/preview", {
    invoice: { external_subscription_id: externalId },
  });
  await moveTo(world, at);
  world.previewed = { externalId, invoice, usage };
}

async function readUsage({ session }: World, { externalId }: Life): Promise<Usage> {
  const path = `/customers/${CUSTOMER}/current_usage?external_subscription_id=${externalId}`;
  type Shown = { customer_usage: { charges_usage: Usage["charges"] } };
  const { customer_usage } = await session.must<Shown>("GET", path);
  type ApiSubscription = { subscription: { plan: { charges: { svc_id: string; pay_in_advance: boolean }[] } } };
  const { subscription } = await session.must<ApiSubscription>("GET", `/subscriptions/${externalId}`);
  const inAdvance = subscription.plan.charges.filter((charge) => charge.pay_in_advance).map(({ svc_id }) => svc_id);
  return { charges: customer_usage.charges_usage, inAdvance: new Set(inAdvance) };
}

/** To the last second of the first period that ends. */
async function approach(world: World): Promise<void> {
  await moveTo(world, Math.min(nextBoundary(world) - 1, world.now + DAYS_TO_PREVIEW * DAY));
}

/** Of traffic, some at once, now or in the last days. */
async function useTraffic(world: World, dice: Dice): Promise<void> {
  const life = dice.anyOf(activeOnes(world));
  if (!life) return;
  for (let count = dice.between(2, 6); count > 0; count--) {
    const at = dice.isOnceIn(3) ? world.now - dice.between(1, 9 * DAY) : world.now;
    await send(world, { subscription: life.externalId, metric: "traffic", value: 0, at }, drawProperties(dice));
  }
  await world.session.settle();
}

/** What was paid by credits: they go back to where they came from. */
async function voidPrepaid(world: World, dice: Dice): Promise<void> {
  const used = ({ status, prepaid_credit_amount_cents: cents }: Invoice): boolean =>
    status === "finalized" && cents > 0;
  const invoice = dice.anyOf(world.documents.invoices.filter(used));
  if (!invoice) return;
  if (invoice.payment_status === "succeeded" && invoice.total_amount_cents > 0)
    await setPayment(world, invoice, "failed");
  await world.session.ask("POST", `/invoices/${invoice.svc_id}/void`);
}

const setPayment = (world: World, { svc_id }: Invoice, payment_status: string) =>
  world.session.ask("PUT", `/invoices/${svc_id}`, { invoice: { payment_status } });

/** Of credits: sometimes after a part of them is spent. */
async function bouncePurchase(world: World, dice: Dice): Promise<void> {
  const bought = world.documents.invoices.filter(
    ({ invoice_type, payment_status }) => invoice_type === "credit" && payment_status === "succeeded",
  );
  const invoice = dice.anyOf(bought);
  if (invoice) await setPayment(world, invoice, "failed");
}

/**
 * A purchase that cannot be voided when its wallet ends, because a part of it is spent or written off, is paid afterwards: what was never in
 * the wallet goes back in money.
 */
async function payForEnded(world: World, dice: Dice): Promise<void> {
  const { wallets, invoices, transactions } = world.documents;
  const active = new Set(wallets.filter(({ status }) => status === "active").map(({ svc_id }) => svc_id));
  const bought = transactions.filter(
    (one) =>
      one.transaction_status === "purchased" && active.has(one.svc_wallet_id) && (isSpentInPart(one) || isAwaited(one)),
  );
  const chosen = dice.anyOf(bought);
  const invoice = invoices.find(({ svc_id }) => svc_id === chosen?.svc_invoice_id);
  if (!chosen || !invoice) return;
  if (isSpentInPart(chosen)) await setPayment(world, invoice, "failed");
  else await world.session.ask("POST", `/invoices/${invoice.svc_id}/write_off`, { reason: "a rest", amount_cents: 1 });
  await world.session.ask("DELETE", `/wallets/${chosen.svc_wallet_id}`);
  await setPayment(world, invoice, "succeeded");
  // It may be paid as it was before the step, but its fees were not paid then: it is read again.
  world.shown = { ...world.shown, invoices: invoices.filter((one) => one !== invoice) };
}

const isSpentInPart = ({ remaining_amount_cents: left, minor }: Transaction): boolean =>
  left != null && left > 0 && left < minor;

const isAwaited = ({ status, minor }: Transaction): boolean => status === "pending" && minor > 1;

export const EDGE_STEPS: Readonly<Record<string, StepKind>> = {
  advanceAgain: { weight: 1, take: advanceAgain },
  payWhileAdvancing: { weight: 2, take: payWhileAdvancing },
  useTooMuch: { weight: 2, take: useTooMuch },
  renumber: { weight: 1, take: renumber },
  approach: { weight: 0, take: approach },
  preview: { weight: 4, take: preview },
  useTraffic: { weight: 6, take: useTraffic },
  voidPrepaid: { weight: 2, take: voidPrepaid },
  bouncePurchase: { weight: 2, take: bouncePurchase },
  payForEnded: { weight: 1, take: payForEnded },
};
