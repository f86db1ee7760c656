/** The month whose usage benches read. */
import type { UsageWindow } from "@tallystick/core/usage";

const MONTH = Temporal.PlainDate.from("2026-01-01");
export const WINDOW: UsageWindow = {
  from: MONTH.toZonedDateTime("UTC").toInstant(),
  to: MONTH.add({ months: 1 }).toZonedDateTime("UTC").toInstant(),
  timeZone: "UTC",
  firstDay: MONTH,
  lastDay: MONTH.add({ months: 1 }).subtract({ days: 1 }),
  periodDays: MONTH.daysInMonth,
};
