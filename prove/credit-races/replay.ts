/** What happened to a customer, one thing after the other, through the oracle. */
import type { CustomerFee, CustomerWallet, Step, WatchedStep } from "../oracle/customer-case.ts";
import { type CustomerOutcome, oracleCustomer } from "../oracle/index.ts";
import type { Happening } from "./journal.ts";
import type { Requested } from "./requested.ts";
import { COUPONS, type Customer, PLANS, TAXES } from "./world.ts";

/** Where the oracle has what: it counts invoices, notes, wallets and coupons as they come. */
type Places = Record<"invoices" | "notes" | "wallets" | "coupons", string[]>;

type Taken = { step: Step | WatchedStep; happening: Happening | undefined };

export type Replay = {
  places: Places;
  outcomes: readonly (CustomerOutcome & { taken: Taken })[];
  /** What the oracle would have refused, or no client asked for. */
  faults: string[];
};

const FEES = PLANS.map(({ code, cents }): CustomerFee => {
  const nothing = { metricCode: "", ownTaxes: [], planTaxes: [] };
  return { kind: "subscription", cents: String(cents), planCode: code, ...nothing };
});

export function replay(customer: Customer, journal: readonly Happening[], requested: Requested): Replay {
  const course = new Course(customer, journal, requested);
  for (const happening of journal) course.follow(happening);
  const { places, taken, faults } = course;
  const outcomes = oracleCustomer({
    digits: 2,
    customerTaxes: [],
    organizationTaxes: [...TAXES],
    coupons: [],
    notes: [],
    wallets: places.wallets.map((id, at) => walletOf(requested, id, at)),
    steps: taken.map(({ step }) => step),
  }).map((outcome, index) => ({ ...outcome, taken: taken[index] as Taken }));
  return { places, outcomes, faults: [...faults, ...outcomes.flatMap(refusalsOf), ...overlapsIn(outcomes)] };
}

const walletOf = (queried: Requested, id: string, at: number): CustomerWallet => {
  const { rate = "1", priority = 50 } = queried.wallets.get(id) ?? {};
  return { balance: "0", priority, at, rate, isForeign: false, expiresAt: null };
};

class Course {
  readonly places: Places;
  readonly taken: Taken[];
  readonly faults: string[] = [];
  readonly #requested: Requested;
  /** Transactions in which an invoice was finalized: what coupons it used up follows from that. */
  readonly #spending: ReadonlySet<string>;
  /** And those in which one was paid: what was to be refunded of it follows from that. */
  readonly #paying: ReadonlySet<string>;
  readonly #expirations = new Map<string, bigint>();

  constructor({ drafts }: Customer, journal: readonly Happening[], requested: Requested) {
    const idsOf = (expected: Happening["what"]) => journal.filter(({ what }) => what === expected).map(({ id }) => id);
    this.#requested = requested;
    this.places = { invoices: [...drafts], notes: [], wallets: idsOf("open wallet"), coupons: [] };
    this.taken = drafts.map(() => ({ step: { do: "bill", form: "draft", fees: FEES }, happening: undefined }));
    const transactionsOf = (target: Happening["what"]) =>
      new Set(journal.filter(({ what }) => what === target).map(({ transaction }) => transaction));
    this.#spending = transactionsOf("finalize");
    this.#paying = transactionsOf("pay");
  }

  follow(happening: Happening): void {
    const { what, at } = happening;
    const isChange = what !== "open wallet" && what !== "change expiration";
    if (isChange && at !== null) this.#expire(at);
    const step = this.#stepOf(happening);
    if (step === "unasked") this.faults.push(`no client asked for ${what} ${happening.id}`);
    else if (step !== null) this.taken.push({ step, happening });
  }

  /** A wallet is over at its instant, whether or not a worker has saved that yet. */
  #expire(now: bigint): void {
    for (const [id, at] of this.#expirations) {
      if (at > now) continue;
      this.#expirations.delete(id);
      this.taken.push({ step: { do: "close wallet", wallet: this.#place("wallets", id) }, happening: undefined });
    }
  }

  #place(kind: keyof Places, id: string): number {
    const place = this.places[kind].indexOf(id);
    if (place < 0) this.faults.push(`${id} is not among the ${kind}`);
    return place;
  }

  #add(kind: keyof Places, id: string): void {
    this.places[kind].push(id);
  }

  #stepOf({ what, id, at, cents, transaction }: Happening): Step | WatchedStep | "unasked" | null {
    switch (what) {
      case "finalize":
      case "pay":
      case "bounce":
      case "void":
        return { do: what, invoice: this.#place("invoices", id) };
      case "write off":
        return { do: "write off exactly", invoice: this.#place("invoices", id), cents: cents ?? "0" };
      case "credit":
        // What is paid for a wallet that has ended is refunded by itself.
        if (this.#paying.has(transaction)) {
          this.#add("notes", id);
          return null;
        }
        return this.#credit(id);
      case "void note":
        return { do: what, note: this.#place("notes", id) };
      case "open wallet":
      case "change expiration":
        if (at !== null) this.#expirations.set(id, at);
        return null;
      case "end wallet":
        this.#expirations.delete(id);
        return { do: "close wallet", wallet: this.#place("wallets", id) };
      case "move credits":
        return this.#moveCredits(id);
      case "apply coupon":
        return this.#apply(id);
      case "end coupon":
        if (this.#spending.has(transaction)) return null;
        return { do: what, coupon: this.#place("coupons", id), how: "terminated" };
    }
  }

  #credit(id: string): WatchedStep | "unasked" {
    const note = this.#requested.notes.get(id);
    if (note === undefined) return "unasked";
    this.#add("notes", id);
    const { invoiceId, ...request } = note;
    return { do: "credit exactly", invoice: this.#place("invoices", invoiceId), ...request };
  }

  #moveCredits(id: string): Step | WatchedStep | "unasked" {
    const moved = this.#requested.credits.get(id);
    if (moved === undefined) return "unasked";
    const { walletId, invoiceId, credits } = moved;
    if (invoiceId !== null) this.#add("invoices", invoiceId);
    return { do: moved.do, wallet: this.#place("wallets", walletId), credits };
  }

  #apply(id: string): WatchedStep | "unasked" {
    const code = this.#requested.coupons.get(id);
    const terms = COUPONS[code ?? ""];
    if (terms === undefined) return "unasked";
    const { isReusable, ...coupon } = terms;
    const isRepeat = this.places.coupons.some((other) => this.#requested.coupons.get(other) === code);
    if (isRepeat && !isReusable) this.faults.push(`${id} was to be had once`);
    this.#add("coupons", id);
    return { do: "apply coupon", coupon: { ...coupon, appliedAt: 0, isForeign: false } };
  }
}

/** What was done must have been possible at that moment. */
function refusalsOf({ answer, taken: { step, happening } }: Replay["outcomes"][number]): string[] {
  const isDone =
    step.do === "credit exactly"
      ? typeof answer === "object" && answer !== null && "note" in answer
      : answer !== false && typeof answer !== "string" && (answer !== null || ANSWERLESS.has(step.do));
  if (isDone || happening === undefined) return [];
  const reason = JSON.stringify(answer, (_, value) => (typeof value === "bigint" ? String(value) : value));
  return [`${happening.what} ${happening.id} was not possible: ${reason}`];
}

const ANSWERLESS: ReadonlySet<string> = new Set(["close wallet", "end coupon", "apply coupon"]);

/** Coupons of one plan are not had at once. */
function overlapsIn(outcomes: Replay["outcomes"]): string[] {
  const applied: WatchedStep[] = [];
  return outcomes.flatMap(({ taken: { step, happening } }, index) => {
    if (step.do !== "apply coupon") return [];
    const { planCodes } = step.coupon;
    const before = outcomes[index - 1]?.holdings.coupons ?? [];
    const overlaps = applied.some(
      (other, place) =>
        other.do === "apply coupon" &&
        before[place]?.status === "active" &&
        (planCodes ?? []).some((code) => other.coupon.planCodes?.includes(code)),
    );
    applied.push(step);
    return overlaps ? [`${happening?.id} overlaps with another coupon`] : [];
  });
}
