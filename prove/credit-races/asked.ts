/** What clients know of customers, and what they asked for and got. */
import type { WatchedStep } from "../oracle/customer-case.ts";
import type { Send } from "../served-api.ts";
import type { Customer } from "./world.ts";

export type Issued = { id: string; fees: readonly { id: string; cents: number }[] };

type AskedWallet = { rate: string; priority: number };
type AskedCredits = {
  walletId: string;
  invoiceId: string | null;
  do: "grant" | "buy" | "void credits";
  credits: string;
};
type AskedNote = Omit<WatchedStep & { do: "credit exactly" }, "do" | "invoice"> & { invoiceId: string };

/** What was asked for and granted, by the id that it got. */
export type Asked = {
  wallets: Map<string, AskedWallet>;
  credits: Map<string, AskedCredits>;
  notes: Map<string, AskedNote>;
  /** The code. */
  coupons: Map<string, string>;
  /** What was finalized or voided, as often as that was said. */
  once: string[];
};

export const nothingAsked = (): Asked => ({
  wallets: new Map(),
  credits: new Map(),
  notes: new Map(),
  coupons: new Map(),
  once: [],
});

/** By their ids, as far as somebody may still want something of them. */
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
  paymentsToldTenTimes: number;
};

export type Client = {
  send: Send;
  now: () => Temporal.Instant;
  random: () => number;
  asked: Asked;
  tally: Tally;
  say: (line: string) => void;
};
