/** How the parked items of each source are retried or skipped, and how many wait for an operator. */
import type { DueRegistry } from "../jobs/due.ts";
import {
  type RefreshDeps,
  retryRefresh,
  retryWalletEvent,
  WALLET_EVENTS,
  WALLET_REFRESHES,
} from "../modules/credit/index.ts";
import {
  ADVANCE_FEES,
  type ConsumeDeps,
  countHeld,
  countParked,
  dueSource,
  INVOICE_DUE,
  type ParkedSource,
  retryEvent,
  skipInvoice,
} from "../modules/invoicing/index.ts";
import { BILL_PART, END_PART, isLifeStep, type LifeDeps, retryBill, retryEnd } from "../modules/subscriptions/index.ts";
import { type Database, inOrganization } from "../platform/postgres/database.ts";

type Work = RefreshDeps & LifeDeps & { registry: DueRegistry };

const nothing = async (): Promise<void> => undefined;

export function composeParkedSources(work: Work, advanceFees: ConsumeDeps): ReadonlyMap<string, ParkedSource> {
  const { db, registry } = work;
  const dues = [...registry.kinds.keys()].map((kind): [string, ParkedSource] => {
    // A subscription change cannot be skipped. A skipped invoice is marked. Other kinds have nothing left to do.
    if (isLifeStep(kind)) return [kind, dueSource(work)];
    return [kind, dueSource(work, kind === INVOICE_DUE ? (tx, item) => skipInvoice(tx, work, item) : nothing)];
  });
  const parts: [string, ParkedSource][] = [
    [
      ADVANCE_FEES,
      {
        retry: ({ organization_id: organizationId, work: kept }, settle) =>
          retryEvent(advanceFees, { organizationId, work: kept }, settle),
        skip: nothing,
      },
    ],
    [
      WALLET_EVENTS,
      {
        retry: ({ organization_id: organizationId, work: kept }, settle) =>
          inOrganization(db, organizationId, async (tx) => {
            await settle(tx);
            await retryWalletEvent(tx, work, organizationId, kept);
          }),
        skip: nothing,
      },
    ],
    [
      WALLET_REFRESHES,
      {
        retry: ({ organization_id: organizationId, item_id: customerId }, settle) =>
          retryRefresh(work, organizationId, customerId, settle),
        skip: nothing,
      },
    ],
    [
      BILL_PART,
      {
        retry: ({ organization_id: organizationId, work: kept }, settle) =>
          inOrganization(db, organizationId, async (tx) => {
            await settle(tx);
            await retryBill(tx, work, { organizationId, work: kept });
          }),
        skip: nothing,
      },
    ],
    [
      END_PART,
      {
        retry: ({ organization_id: organizationId, item_id: subscriptionId, work: kept }, settle) =>
          inOrganization(db, organizationId, async (tx) => {
            await settle(tx);
            await retryEnd(tx, work, { organizationId, subscriptionId, work: kept });
          }),
        skip: nothing,
      },
    ],
  ];
  return new Map([...dues, ...parts]);
}

/** Not an obstacle: everything else goes on. */
export async function findParkedWarnings({ dispatcherDb }: { dispatcherDb: Database }): Promise<string[]> {
  try {
    const parked = await countParked(dispatcherDb);
    const locked = await countHeld(dispatcherDb);
    return [
      ...(parked > 0n
        ? [`${parked} items cannot be billed and are parked: see GET /parked_items of their organizations`]
        : []),
      ...(locked > 0n
        ? [`${locked} invoices are held because two computations differ: see GET /held_invoices of their organizations`]
        : []),
    ];
  } catch {
    // A database that does not respond or lacks a migration is reported as an obstacle instead.
    return [];
  }
}
