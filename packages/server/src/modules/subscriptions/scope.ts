/** The context of every step in the life of a subscription: its customer and its instant. */
import type { Bill, ReturnedDays, Terminated } from "@tallystick/core/subscription";
import type { DueRegistry } from "../../jobs/due.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Batch } from "../../platform/postgres/batch.ts";
import type { LockedCustomer } from "../customers/index.ts";

/** A bill as it was saved. */
export type WrittenBill = {
  id: string;
  subscriptionId: string;
  customer: { id: string; testClockId: string | null };
  reason: Bill["reason"];
  occurredAt: Temporal.Instant;
  readyAt: Temporal.Instant;
  invoiceKey: string;
  /** The instant whose prices apply; null if a request caused the bill: then current prices apply. */
  pricedAt: Temporal.Instant | null;
};

export type LifeDeps = {
  clock: Clock;
  registry: DueRegistry;
  /** In the transaction that saves the bill: makes its invoice due. */
  onBilled: (batch: Batch, organizationId: string, bill: WrittenBill, registry: DueRegistry) => Promise<void>;
  /** In the transaction that ends a subscription, after its last bill, if the end makes one. */
  onEnded: (batch: Batch, end: Ended, registry: DueRegistry) => Promise<void>;
};

export type Ended = {
  organizationId: string;
  subscriptionId: string;
  customer: { id: string; testClockId: string | null };
  ended: Terminated;
  /** Days of recurring metrics that were paid in advance and that another plan bills from now on. */
  returned: readonly ReturnedDays[];
};

/**
 * The customer is locked; `now` is the instant of the step on the customer's clock. `dueAt` is that instant if the step was scheduled,
 * however late it runs; null if the step is a request.
 */
export type Scope = LifeDeps & {
  organizationId: string;
  customer: { id: string; testClockId: string | null };
  now: Temporal.Instant;
  dueAt: Temporal.Instant | null;
};

export const scopeOf = ({ row, now }: LockedCustomer, { clock, registry, onBilled, onEnded }: LifeDeps): Scope => ({
  clock,
  registry,
  onBilled,
  onEnded,
  organizationId: row.organization_id,
  customer: { id: row.id, testClockId: row.test_clock_id },
  now,
  dueAt: null,
});

/** Whose ended subscriptions to look up, and as of when. */
export type PastScope = Pick<Scope, "organizationId" | "now"> & { customer: Pick<Scope["customer"], "id"> };
