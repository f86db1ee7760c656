// What an opinion is asked about, as plain JSON: the terms as the interface writes them, the events as they were sent.

import type { TaxRate } from "./credit-rules.ts";
import type { PriceModel, PriceProperties } from "./pricing.ts";

/** A stretch of days, of which both local days count. Instants are ISO texts. */
export type Span = { from: string; to: string; firstDay: string; lastDay: string; periodDays: number };

export type FilterTerms = { id: string; values: Record<string, string[]>; properties: PricedProperties };

export type PricedProperties = PriceProperties & { grouped_by?: string[] };

export type ChargeTerms = {
  id: string;
  billable_metric_id: string;
  charge_model: PriceModel;
  pay_in_advance: boolean;
  invoiceable: boolean;
  prorated: boolean;
  min_amount_cents: number;
  properties: PricedProperties;
  filters: FilterTerms[];
};

export type PlanTerms = {
  code: string;
  amount_cents: number;
  pay_in_advance: boolean;
  charges: ChargeTerms[];
  minimum_commitment: { amount_cents: number } | null;
};

export type MetricTerms = {
  code: string;
  aggregation_type: string;
  field_name: string | null;
  recurring: boolean;
  filters: { key: string; values: string[] }[];
};

/** With the canonical texts of its properties, and where it was accepted. */
export type EventCase = {
  at: string;
  properties: Readonly<Record<string, string>>;
  place?: { shard: number; position: string };
};

/** How much was used of a filter and group, as somebody else has counted it. */
export type MeasuredCase = {
  filterId: string | null;
  group: Readonly<Record<string, string | null>>;
  units: string;
  events: string;
  /** What single events are worth, where a price asks for it. */
  values: string[];
  changes: { units: string; days: number }[];
};

export type UsageCase = {
  chargeId: string;
  /** In the order in which they were accepted. null: too many to count again, so what was measured is taken as it is. */
  events: EventCase[] | null;
  measured: MeasuredCase[];
  /** Units that were paid for in advance, as somebody else has counted them, where the bill asks for them. */
  paid?: Pick<MeasuredCase, "filterId" | "group" | "units">[];
};

/** How a bill has a charge that a change of plan touches. Days are local, both included. */
export type PartCase =
  | { type: "whole" }
  | { type: "left_out" }
  | { type: "days"; firstDay: string; lastDay: string }
  | { type: "beyond_paid"; paidFrom: string; paidTo: string; paidAfter?: string[]; paidUpTo?: string[] };

export type BillCase = {
  subscriptionId: string;
  /** Why there is a bill. */
  reason?: string;
  plan: PlanTerms;
  /** Of the plan that takes over at once, for a bill without parts. */
  successorMetricCodes: string[];
  /** By id. */
  metrics: Readonly<Record<string, MetricTerms>>;
  windows: {
    fee: (Span & { freeDays: number }) | null;
    charges: (Span & { timeZone: string }) | null;
    renewal: (Span & { timeZone: string }) | null;
    commitment: Span | null;
    /** By the id of the charge; null: a bill that does not say. */
    parts?: Readonly<Record<string, PartCase>> | null;
    /** What had been accepted by shard when the plan changed, if events of recurring metrics came at that very instant. */
    acceptedBefore?: string[];
  };
  usedBeforeMinor: string;
  taxes: { plan: TaxRate[]; commitment: TaxRate[]; charges: Readonly<Record<string, TaxRate[]>> };
  usage: UsageCase[];
  renewed: UsageCase[];
};

export type CouponCase = {
  id: string;
  appliedAt: string;
  limit: { type: "none" } | { type: "plans" | "metrics"; codes: string[] };
  state: {
    value: { type: "fixed_amount"; amountMinor: string; currency: string } | { type: "percentage"; rate: string };
    left: { type: "amount"; amountMinor: string } | { type: "uses"; count: number } | { type: "forever" };
  };
};

export type NoteCase = { id: string; invoiceId: string; currency: string; createdAt: string; balanceMinor: string };

export type WalletCase = {
  id: string;
  priority: number;
  createdAt: string;
  expiresAt: string | null;
  currency: string;
  rate: string;
  balanceMinor: string;
};

export type RecomputationInput = {
  invoiceId: string;
  currency: string;
  /** Minor digits of the currency. */
  digits: number;
  /** The instant of finalization, which decides what has expired. */
  at: string;
  bills: BillCase[];
  taxes: { customer: TaxRate[]; organization: TaxRate[] };
  coupons: CouponCase[];
  creditNotes: NoteCase[];
  wallets: WalletCase[];
};
