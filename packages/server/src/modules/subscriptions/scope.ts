/** For whom, and when: what every step in the life of a subscription needs to know. */
import type { DueRegistry } from "../../jobs/due.ts";
import type { Clock } from "../../platform/clock.ts";
import type { HeldCustomer } from "../customers/index.ts";

export type LifeDeps = { clock: Clock; registry: DueRegistry };

/** The customer is held; `now` is the instant of the step on the customer's clock. */
export type Scope = LifeDeps & {
  organizationId: string;
  customer: { id: string; testClockId: string | null };
  now: Temporal.Instant;
};

export const scopeOf = ({ row, now }: HeldCustomer, { clock, registry }: LifeDeps): Scope => ({
  clock,
  registry,
  organizationId: row.organization_id,
  customer: { id: row.id, testClockId: row.test_clock_id },
  now,
});
