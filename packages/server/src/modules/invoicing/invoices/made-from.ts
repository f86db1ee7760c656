/** The inputs of an invoice as plain data. The same invoice can be recomputed from them. */
import type { TaxRow } from "../../catalogue/index.ts";
import type { MeasuredUsage } from "../../usage/index.ts";
import type { LoadedBill, Payer } from "./load-billing.ts";
import type { Measured } from "./measure-bills.ts";
import type { Spendable } from "./spendable.ts";
import { toStoredSpendable } from "./stored-spendable.ts";

/** The program version and the time zone data of the computation. */
export type Engine = { version: string; zoneData: string };

export const madeByOf = (engine: Engine, timeZone: string) => ({
  engineVersion: engine.version,
  zoneDataVersion: engine.zoneData,
  timeZone,
});

type Inputs = {
  bills: readonly LoadedBill[];
  payer: Payer;
  measured: Measured;
  timeZone: string;
  spendable: Spendable;
};

export function madeFromOf({ bills, payer, measured, timeZone, spendable }: Inputs, engine: Engine) {
  return {
    ...madeByOf(engine, timeZone),
    cut: measured.cut.map(String),
    bills: bills.map((loaded) => {
      const { reason, ...windows } = loaded.bill;
      const { inArrears = [], renewed = [] } = measured.usage.get(loaded.billId) ?? {};
      const { successor, opening } = loaded;
      const charges = [...loaded.priceList.plan.charges, ...opening.plan.charges];
      return {
        billId: loaded.billId,
        subscriptionId: loaded.subscriptionId,
        externalSubscriptionId: loaded.externalId,
        reason,
        windows,
        historyFrom: loaded.firstStartedAt,
        planId: loaded.priceList.planId,
        planVersion: loaded.priceList.version,
        ...(opening.version === loaded.priceList.version ? {} : { openingVersion: opening.version }),
        successor: successor && { planId: successor.planId, planVersion: successor.version },
        usedBeforeMinor: String(loaded.usedBeforeMinor),
        inArrears: quantitiesOf(inArrears),
        renewed: quantitiesOf(renewed),
        taxes: {
          plan: loaded.priceList.planTaxes.map(taxOf),
          commitment: loaded.priceList.commitmentTaxes.map(taxOf),
          charges: Object.fromEntries(
            charges.flatMap(({ id }) => {
              const taxes = loaded.priceList.chargeTaxes.get(id) ?? opening.chargeTaxes.get(id) ?? [];
              return taxes.length > 0 ? [[id, taxes.map(taxOf)]] : [];
            }),
          ),
        },
      };
    }),
    taxes: { customer: payer.taxes.customer.map(taxOf), organization: payer.taxes.organization.map(taxOf) },
    spendable: toStoredSpendable(spendable),
  };
}

/** The set of events behind each quantity is identified by its count and the sum of its digests. */
export const quantitiesOf = (usage: MeasuredUsage) =>
  usage.flatMap(({ charge, buckets }) =>
    buckets.map(({ filter, group, quantity, digest }) => ({
      chargeId: charge.id,
      filterId: filter?.id ?? null,
      group,
      units: quantity.units.toFixed(),
      events: String(quantity.eventsFolded),
      digest: String(digest),
    })),
  );

export const taxOf = ({ id, code, name, rate }: TaxRow) => ({ id, code, name, rate: rate.toFixed() });
