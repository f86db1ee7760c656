/** A charge of a plan: a metric, its price, and when it is billed. */
import type { Minor } from "../money/index.ts";
import type { Members } from "./members.ts";
import type { Metric } from "./metric.ts";
import type { Pricing } from "./pricing.ts";

/** A price, and the event properties by which its events are billed separately. */
export type Price = { readonly pricing: Pricing; readonly groupedBy: readonly string[] };

/** Events that match the values of every key are billed at a price of their own. */
export type ChargeFilter = {
  readonly id: string;
  /** Key → values as sent. Exactly [ALL_FILTER_VALUES] means every value that the metric allows for that key. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly price: Price;
};

export const ALL_FILTER_VALUES = "__ALL_FILTER_VALUES__";

/** In arrears: one bill when the period closes. In advance: a fee per event, on an invoice, on none, or regrouped once paid. */
export type ChargeTiming =
  | { readonly type: "arrears"; readonly minAmountMinor: Minor }
  | { readonly type: "in_advance"; readonly invoicing: "invoice_each" | "no_invoice" | "regroup_paid" };

export type Charge = {
  readonly id: string;
  readonly metric: Metric;
  /** For events that no filter takes. */
  readonly price: Price;
  /** Oldest first: if two filters match an event equally well, the older takes it. */
  readonly filters: readonly ChargeFilter[];
  readonly timing: ChargeTiming;
  /** Only for recurring metrics: units are weighed by the days they were in use. */
  readonly isProrated: boolean;
};

/** A filter with its display name and its prices as they were sent. */
export type ChargeFilterDefinition = Omit<ChargeFilter, "id"> & {
  /** null until it is stored. */
  readonly id: string | null;
  readonly properties: Members;
  readonly invoiceDisplayName: string | null;
};

/** A charge with its display name, its prices as they were sent, and its taxes. */
export type ChargeDefinition = Omit<Charge, "id" | "filters"> & {
  /** null until it is stored. */
  readonly id: string | null;
  readonly metricId: string;
  readonly properties: Members;
  readonly filters: readonly ChargeFilterDefinition[];
  readonly invoiceDisplayName: string | null;
  readonly taxCodes: readonly string[];
};
