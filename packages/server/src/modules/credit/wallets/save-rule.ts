/** Saves the top-up rule of a wallet and schedules its next day. */
import { isDeepStrictEqual } from "node:util";
import { nextTopUpAt, type TopUpRule } from "@tallystick/core/invoicing";
import { dayOf } from "@tallystick/core/time";
import { type DueRegistry, rescheduleDues } from "../../../jobs/due.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { findOrganization } from "../../accounts/index.ts";
import { findCustomersById } from "../../customers/index.ts";
import { TOP_UP_DUE } from "./due-names.ts";
import { type RuleRow, toCoreRule, toRuleColumns, type WalletRow } from "./row.ts";
import { type Scope, writtenAt } from "./scope.ts";
import { findRules, insertRule, updateRule } from "./store.ts";
import { toApiRule } from "./to-api.ts";

/** Replaces the existing rule, unless it is the same one. null: removes it. */
export async function saveRule(
  batch: Batch,
  scope: Scope,
  { wallet, rule }: { wallet: WalletRow; rule: TopUpRule | null },
  registry: DueRegistry,
): Promise<void> {
  const { organizationId, customer } = scope;
  const stored = await findRules(batch.tx, organizationId, [wallet.id]);
  if (rule !== null && stored.some((row) => isSame(row, rule))) return;
  for (const { id } of stored) {
    await updateRule(batch.tx, organizationId, id, { status: "terminated", terminated_at: writtenAt(scope) });
    await rescheduleDues(batch, registry, organizationId, { subjectId: id, customer, dues: [] });
  }
  if (rule === null) return;
  const row = await insertRule(batch.tx, organizationId, {
    ...toRuleColumns(rule),
    id: newId(),
    wallet_id: wallet.id,
    status: "active",
    created_at: writtenAt(scope),
  });
  await scheduleTopUp(batch, scope, { wallet, rule: row }, registry);
}

/** As it is shown: a rule that is sent back as it was read keeps its days. */
const isSame = (row: RuleRow, rule: TopUpRule): boolean =>
  isDeepStrictEqual(toApiRule(row), toApiRule({ ...row, ...toRuleColumns(rule) }));

/** The next day of an interval rule, in the customer's current time zone. */
export async function scheduleTopUp(
  batch: Batch,
  scope: Scope,
  { wallet, rule }: { wallet: WalletRow; rule: RuleRow },
  registry: DueRegistry,
): Promise<void> {
  const { trigger } = toCoreRule(rule);
  if (trigger.type !== "interval") return;
  const { organizationId, customer, now } = scope;
  const timeZone = await zoneOf(batch, scope);
  const days = { interval: trigger.interval, anchoredAt: trigger.startedAt ?? wallet.created_at, timeZone };
  const next = nextTopUpAt(days, now);
  const isDone = rule.last_day !== null && Temporal.PlainDate.compare(dayOf(next, timeZone), rule.last_day) <= 0;
  const dueAt = isDone ? nextTopUpAt(days, next) : next;
  await rescheduleDues(batch, registry, organizationId, {
    subjectId: rule.id,
    customer,
    dues: [{ kind: TOP_UP_DUE, dueAt }],
  });
}

export async function zoneOf(batch: Batch, { organizationId, customer }: Scope): Promise<string> {
  const [row] = await findCustomersById(batch, organizationId, [customer.id]);
  return row?.timezone ?? (await findOrganization(batch, organizationId)).timezone;
}
