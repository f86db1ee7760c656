/** Standalone fees of a story, each paid separately. */
import { writeCents, writeUnits } from "./amounts.ts";
import type { Customer } from "./customer.ts";
import type { Row } from "./invoice-text.ts";
import type { World } from "./world.ts";

type Fee = {
  svc_id: string;
  svc_invoice_id: string | null;
  external_subscription_id: string;
  invoiceable: boolean;
  item: { invoice_display_name: string };
  amount_cents: number;
  amount_currency: string;
  units: string;
  payment_status: string;
  from_date: string;
};

/** A fee is named by a letter in order of first appearance. A replacement has another letter. */
export type FeeActs = {
  feeIs: (customer: Customer, fee: string, status: "succeeded" | "failed" | "pending" | "refunded") => Promise<void>;
  deletesFee: (customer: Customer, fee: string) => Promise<void>;
};

export const feeActs = (world: World): FeeActs => ({
  feeIs: async ({ name }, fee, payment_status) => {
    const id = await idOf(world, name, fee);
    await world.api.ask("PUT", `/fees/${id}`, { fee: { payment_status } });
  },
  deletesFee: async ({ name }, fee) => {
    await world.api.ask("DELETE", `/fees/${await idOf(world, name, fee)}`);
  },
});

const FIRST = "A".charCodeAt(0);

/** The fees of all accepted events. */
async function findAlone({ api, feeNames }: World, customer: string): Promise<Fee[]> {
  await api.settle();
  const path = `/fees?external_customer_id=${encodeURIComponent(customer)}&fee_type=charge&per_page=1000`;
  const alone = (await api.ask<{ fees: Fee[] }>("GET", path)).fees.filter(({ invoiceable }) => !invoiceable);
  for (const { svc_id } of alone)
    if (!feeNames.has(svc_id)) feeNames.set(svc_id, String.fromCharCode(FIRST + feeNames.size));
  return alone;
}

async function idOf(world: World, customer: string, expected: string): Promise<string> {
  const fees = await findAlone(world, customer);
  const found = fees.find(({ svc_id }) => world.feeNames.get(svc_id) === expected);
  if (!found) throw new Error(`${customer} has no fee ${expected}`);
  return found.svc_id;
}

export const feeRowsOf = async (world: World, customer: string): Promise<Row[]> =>
  (await findAlone(world, customer)).map((fee) => [
    world.feeNames.get(fee.svc_id) ?? "",
    fee.from_date.slice(0, "2024-01-01".length),
    `${fee.item.invoice_display_name} ${writeUnits(fee.units)}`,
    `${fee.payment_status}${fee.svc_invoice_id === null ? "" : ", invoiced"}`,
    writeCents(fee.amount_cents, fee.amount_currency),
  ]);
