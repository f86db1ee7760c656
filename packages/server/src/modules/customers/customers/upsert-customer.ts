/** Creates the customer with an external_id, or changes the existing one. */
import assert from "node:assert/strict";
import { customerSlug } from "@tallystick/core/invoicing";
import type { Precondition } from "../../../http/etags.ts";
import { invalid } from "../../../http/problem.ts";
import { publish } from "../../../jobs/outbox.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findOrganization, returnNumber, takeNumbers } from "../../accounts/index.ts";
import { holdTaxes } from "../../catalogue/index.ts";
import { hasAmounts } from "../look-ups/index.ts";
import { holdClockToJoin } from "../test-clocks/index.ts";
import { describeCustomer } from "./describe-customers.ts";
import { customerErrors } from "./errors.ts";
import { holdCustomerByExternalId, type LockedCustomer } from "./hold-customer.ts";
import {
  type CustomerRow,
  type CustomerUpsert,
  fromApiCustomer,
  type MetadataPair,
  PAYMENT_PROVIDERS,
} from "./schema.ts";
import { findMetadata, insertCustomer, replaceMetadata, replaceTaxes, updateCustomer } from "./store.ts";
import type { ApiCustomer } from "./to-api.ts";

/** The counter series of customer numbers. */
const NUMBERS = "customers";

export type UpsertDeps = {
  clock: Clock;
  /** Runs before a change: what is due for the customer runs first, in its old state. */
  beforeChange: (tx: Tx, customer: LockedCustomer) => Promise<void>;
  /** The customer's time zone changed. `customer` is the state after the change. */
  onMoved: (tx: Tx, customer: LockedCustomer, timeZone: string) => Promise<void>;
  /** The grace period or the net payment term changed. `customer` is the state after the change. */
  onTermsChanged: (tx: Tx, customer: LockedCustomer) => Promise<void>;
  onTaxesChanged: (tx: Tx, customerId: string) => Promise<void>;
};

export async function upsertCustomer(
  tx: Tx,
  organizationId: string,
  { requested, precondition }: { requested: CustomerUpsert; precondition: Precondition },
  deps: UpsertDeps,
): Promise<ApiCustomer> {
  const { clock } = deps;
  const existing = await holdCustomerByExternalId(tx, organizationId, requested.external_id, clock);
  await precondition(async () => existing && { customer: await describeCustomer(tx, organizationId, existing.row) });
  if (existing) return changeCustomer(tx, organizationId, existing, { requested, deps });
  const created = await createCustomer(tx, organizationId, requested, clock);
  if (created) return describeAndTell(tx, organizationId, created, { webhookType: "customer.created", clock });
  // Another request created it after we looked, so this is an update.
  const theirs = await holdCustomerByExternalId(tx, organizationId, requested.external_id, clock);
  if (!theirs) throw invalid({ external_id: ["value_already_exist"] });
  return changeCustomer(tx, organizationId, theirs, { requested, deps });
}

/** For callers that name a customer that may not exist yet. It is then created with only an external_id. */
export async function holdOrCreateCustomer(
  tx: Tx,
  organizationId: string,
  externalId: string,
  clock: Clock,
): Promise<LockedCustomer> {
  const existing = await holdCustomerByExternalId(tx, organizationId, externalId, clock);
  if (existing) return existing;
  const created = await createCustomer(tx, organizationId, { external_id: externalId }, clock);
  if (created) await describeAndTell(tx, organizationId, created, { webhookType: "customer.created", clock });
  const locked = await holdCustomerByExternalId(tx, organizationId, externalId, clock);
  if (!locked) throw invalid({ external_customer_id: ["value_already_exist"] });
  return locked;
}

/** Returns undefined if another request created it at the same moment. */
async function createCustomer(
  tx: Tx,
  organizationId: string,
  requested: CustomerUpsert,
  clock: Clock,
): Promise<CustomerRow | undefined> {
  const testClockId = requested.test_clock_id ?? null;
  await holdClockToJoin(tx, organizationId, testClockId);
  const columns = fromApiCustomer(requested);
  if (!isProviderOrNone(columns.payment_provider)) throw invalid({ payment_provider: ["value_is_invalid"] });
  demandProvider(columns);
  const organization = await findOrganization(alone(tx), organizationId);
  const [number] = await takeNumbers(tx, organizationId, [NUMBERS]);
  assert(number !== undefined, "a series has a next number");
  const now = clock.now();
  const row = await insertCustomer(tx, organizationId, {
    ...columns,
    id: newId(),
    external_id: requested.external_id,
    sequential_id: number,
    slug: customerSlug(organization.document_number_prefix, number),
    test_clock_id: testClockId,
    created_at: now,
    updated_at: now,
  });
  if (!row) {
    await returnNumber(tx, organizationId, NUMBERS);
    return undefined;
  }
  await saveParts(tx, organizationId, row, { requested, now });
  return row;
}

async function changeCustomer(
  tx: Tx,
  organizationId: string,
  locked: LockedCustomer,
  { requested, deps }: { requested: CustomerUpsert; deps: UpsertDeps },
): Promise<ApiCustomer> {
  const { clock } = deps;
  const existing = locked.row;
  const columns = fromApiCustomer(requested);
  if (!isProviderOrNone(columns.payment_provider)) columns.payment_provider = null;
  demandProvider({ ...existing, ...columns });
  await keepCurrency(tx, organizationId, existing, columns.currency);
  await deps.beforeChange(tx, locked);
  const now = clock.now();
  const row = await updateCustomer(tx, organizationId, existing.id, { ...columns, updated_at: now });
  await saveParts(tx, organizationId, row, { requested, now });
  if (row.timezone !== existing.timezone) {
    const { timezone } = await findOrganization(alone(tx), organizationId);
    await deps.onMoved(tx, { ...locked, row }, row.timezone ?? timezone);
  }
  const { invoice_grace_period: graceDays, net_payment_term: termDays } = existing;
  if (row.invoice_grace_period !== graceDays || row.net_payment_term !== termDays)
    await deps.onTermsChanged(tx, { ...locked, row });
  if (requested.tax_codes) await deps.onTaxesChanged(tx, row.id);
  return describeAndTell(tx, organizationId, row, { webhookType: "customer.updated", clock });
}

async function keepCurrency(
  tx: Tx,
  organizationId: string,
  { id, currency }: CustomerRow,
  requested: string | null | undefined,
): Promise<void> {
  if (requested === undefined || requested === currency) return;
  if (await hasAmounts(tx, organizationId, id)) throw customerErrors.invalid("currency", "currencies_does_not_match");
}

async function saveParts(
  tx: Tx,
  organizationId: string,
  row: CustomerRow,
  { requested, now }: { requested: CustomerUpsert; now: Temporal.Instant },
): Promise<void> {
  if (requested.tax_codes) {
    const taxes = await holdTaxes(tx, organizationId, requested.tax_codes);
    await replaceTaxes(
      tx,
      organizationId,
      row.id,
      taxes.map((tax) => tax.id),
    );
  }
  if (requested.metadata) await saveMetadata(tx, organizationId, row, { requested: requested.metadata, now });
}

async function saveMetadata(
  tx: Tx,
  organizationId: string,
  row: CustomerRow,
  { requested, now }: { requested: MetadataPair[]; now: Temporal.Instant },
): Promise<void> {
  if (new Set(requested.map((pair) => pair.key)).size !== requested.length)
    throw invalid({ key: ["value_already_exist"] });
  const known = new Map((await findMetadata(alone(tx), organizationId, [row.id])).map((pair) => [pair.id, pair]));
  const pairs = requested.map(({ id, svc_id, key, value, display_in_invoice }) => {
    // Only the first pair that names an id gets it.
    const old = known.get(svc_id ?? id ?? "");
    if (old) known.delete(old.id);
    return { id: old?.id ?? newId(), key, value, display_in_invoice, created_at: old?.created_at ?? now };
  });
  await replaceMetadata(tx, organizationId, row.id, pairs);
}

/** The response and the message show the same customer; a message leaves the taxes out. */
async function describeAndTell(
  tx: Tx,
  organizationId: string,
  row: CustomerRow,
  { webhookType, clock }: { webhookType: string; clock: Clock },
): Promise<ApiCustomer> {
  const described = await describeCustomer(tx, organizationId, row);
  const { taxes: _, ...object } = described;
  await publish(
    alone(tx),
    organizationId,
    { webhookType, objectType: "customer", objectId: row.id, object },
    clock.now(),
  );
  return described;
}

const isProviderOrNone = (provider: string | null | undefined): boolean =>
  provider === null || provider === undefined || PAYMENT_PROVIDERS.includes(provider);

/** A customer id at a provider means nothing without the provider. */
function demandProvider({ payment_provider, provider_customer_id }: Partial<CustomerRow>): void {
  if (provider_customer_id && !payment_provider) throw invalid({ payment_provider: ["value_is_mandatory"] });
}
