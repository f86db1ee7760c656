// The input of a recomputation as plain JSON: the terms in their API form, the events as they were sent.

import type { TaxRate } from "./credit-rules.ts";
import type { PriceModel, PriceProperties } from "./pricing.ts";

/** An interval of local days, both inclusive. Instants are ISO texts. */
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

/** An event with the canonical texts of its properties, and its position of acceptance. */
export type EventCase = {
  at: string;
  properties: Readonly<Record<string, string>>;
  place?: { shard: number; position: string };
};

/** The measured usage of a filter and group, from the first computation. */
export type MeasuredCase = {
  filterId: string | null;
  group: Readonly<Record<string, string | null>>;
  units: string;
  events: string;
  /** The values of single events, if a price needs them. */
  values: string[];
  changes: { units: string; days: number }[];
};

export type UsageCase = {
  chargeId: string;
  /** In order of acceptance. null: too many to recount, so the measured usage is used. */
  events: EventCase[] | null;
  measured: MeasuredCase[];
  /** Units paid in advance, as the first computation counted them, if the bill needs them. */
  paid?: Pick<MeasuredCase, "filterId" | "group" | "units">[];
};

/** The part of a charge that a bill covers after a plan change. Days are local, both inclusive. */
export type PartCase =
  | { type: "whole" }
  | { type: "left_out" }
  | { type: "days"; firstDay: string; lastDay: string }
  | { type: "beyond_paid"; paidFrom: string; paidTo: string; paidAfter?: string[]; paidUpTo?: string[] };

export type BillCase = {
  subscriptionId: string;
  /** The reason of a bill. */
  reason?: string;
  plan: PlanTerms;
  /** The plan that takes over at once, for a bill without parts. */
  successorMetricCodes: string[];
  /** By id. */
  metrics: Readonly<Record<string, MetricTerms>>;
  windows: {
    fee: (Span & { freeDays: number }) | null;
    charges: (Span & { timeZone: string }) | null;
    renewal: (Span & { timeZone: string }) | null;
    commitment: Span | null;
    /** By the id of the charge. null: the bill does not store it. */
    parts?: Readonly<Record<string, PartCase>> | null;
    /** The accepted positions by shard at the plan change, if events of recurring metrics came at that exact instant. */
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
