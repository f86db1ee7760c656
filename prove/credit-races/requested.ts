/** What clients know of customers, and what they asked for and got. */
import type { WatchedStep } from "../oracle/customer-case.ts";
import type { Send } from "../served-api.ts";
import type { Customer } from "./world.ts";

export type Issued = { id: string; fees: readonly { id: string; cents: number }[] };

type RequestedWallet = { rate: string; priority: number };
type RequestedCredits = {
  walletId: string;
  invoiceId: string | null;
  do: "grant" | "buy" | "void credits";
  credits: string;
};
type RequestedNote = Omit<WatchedStep & { do: "credit exactly" }, "do" | "invoice"> & { invoiceId: string };

/** What was asked for and granted, by the id that it got. */
export type Requested = {
  wallets: Map<string, RequestedWallet>;
  credits: Map<string, RequestedCredits>;
  notes: Map<string, RequestedNote>;
  /** The code. */
  coupons: Map<string, string>;
  /** What was finalized or voided, as often as that was said. */
  once: string[];
};

export const nothingRequested = (): Requested => ({
  wallets: new Map(),
  credits: new Map(),
  notes: new Map(),
  coupons: new Map(),
  once: [],
});

/** By their ids, as far as a client may still want something of them. */
export type Known = {
  customer: Customer;
  drafts: string[];
  issued: Issued[];
  purchases: string[];
  notes: string[];
  wallets: string[];
  coupons: string[];
};

export const knownOf = (customer: Customer): Known => ({
  customer,
  drafts: [...customer.drafts],
  issued: [],
  purchases: [],
  notes: [],
  wallets: [],
  coupons: [],
});

/** `unavailable`: answered 503, so that nothing may have been done. `failed`: neither done nor refused for a reason. */
export type Tally = {
  accepted: number;
  refused: number;
  unavailable: number;
  failed: number;
  paymentsRepeatedTenTimes: number;
};

export type Client = {
  send: Send;
  now: () => Temporal.Instant;
  random: () => number;
  requested: Requested;
  tally: Tally;
  say: (line: string) => void;
};
