/** The pure step from loaded and measured data to the fees and figures of an invoice. */
import { type BillInput, type CustomerTaxes, feesOfBill, invoiceOfBills, type Tax } from "@tallystick/core/invoicing";
import type { Currency } from "@tallystick/core/money";
import type { PriceList, TaxRow } from "../../catalogue/index.ts";
import type { MeasuredBucket } from "../../usage/index.ts";
import type { LoadedBill, Payer } from "./load-billing.ts";
import { type Measured, toCorePlan } from "./measure-bills.ts";
import type { Spendable } from "./spendable.ts";

export type Decided = ReturnType<typeof decideInvoice>;

type Terms = {
  id: string;
  currency: Currency;
  /** A draft spends nothing. */
  status: "draft" | "finalized";
  /** Decides which credits have expired. */
  at: Temporal.Instant;
  spendable: Spendable;
};

export function decideInvoice(
  { bills, payer }: { bills: readonly LoadedBill[]; payer: Pick<Payer, "taxes"> },
  measured: Measured,
  { id, currency, status, at, spendable }: Terms,
) {
  const billed = bills.map((loaded) => ({
    subscriptionId: loaded.subscriptionId,
    fees: feesOf(loaded, measured),
  }));
  return invoiceOfBills(billed, {
    id,
    form: { type: "subscription", status },
    currency,
    at,
    taxes: toCustomerTaxes(payer),
    ...spendable,
  });
}

export const feesOf = (loaded: LoadedBill, measured: Measured) =>
  inputsOf(loaded).flatMap((one) => feesOfBill(toBillInput(one, measured)));

/** If the new period has other prices than the ended one, each gets its own part of the bill. */
export function inputsOf(loaded: LoadedBill): LoadedBill[] {
  const { bill, priceList, opening } = loaded;
  if (opening.version === priceList.version) return [loaded];
  const { isPaidInAdvance } = priceList.plan;
  return [
    { ...loaded, bill: { ...bill, fee: isPaidInAdvance ? null : bill.fee, renewal: null } },
    {
      ...loaded,
      priceList: opening,
      bill: { ...bill, fee: isPaidInAdvance ? bill.fee : null, charges: null, commitment: null },
    },
  ];
}

function toBillInput(loaded: LoadedBill, { usage }: Measured): BillInput<MeasuredBucket> {
  const { bill, priceList, successor, usedBeforeMinor, billId } = loaded;
  const { inArrears = [], renewed = [] } = usage.get(billId) ?? {};
  return {
    bill,
    plan: toCorePlan(priceList),
    successor: successor && toCorePlan(successor),
    usage: bill.charges === null ? [] : inArrears,
    renewed: bill.renewal === null ? [] : renewed,
    usedBeforeMinor,
    taxes: {
      plan: priceList.planTaxes.map(toTax),
      commitment: priceList.commitmentTaxes.map(toTax),
      charges: new Map(priceList.plan.charges.map(({ id }) => [id, (priceList.chargeTaxes.get(id) ?? []).map(toTax)])),
    },
    names: namesOf(priceList),
  };
}

function namesOf({ plan, metricsById }: PriceList): BillInput["names"] {
  const named = plan.charges.flatMap(({ filters }) => filters);
  return {
    plan: plan.invoiceDisplayName ?? plan.name,
    commitment: commitmentName(plan.minimumCommitment),
    charges: new Map(
      plan.charges.map(({ id, metricId, metric, invoiceDisplayName }) => [
        id,
        invoiceDisplayName ?? metricsById.get(metricId)?.name ?? metric.code,
      ]),
    ),
    filters: new Map(
      named.flatMap(({ id, invoiceDisplayName }): [string, string][] =>
        invoiceDisplayName === null ? [] : [[id, invoiceDisplayName]],
      ),
    ),
  };
}

export const commitmentName = (commitment: { invoiceDisplayName: string | null } | null): string =>
  commitment?.invoiceDisplayName ?? "Minimum commitment";

export const toCustomerTaxes = ({ taxes }: Pick<Payer, "taxes">): CustomerTaxes => ({
  customer: taxes.customer.map(toTax),
  organization: taxes.organization.map(toTax),
});

export const toTax = ({ code, name, rate }: TaxRow): Tax => ({ code, name, rate });

/** All applicable taxes by code. Their ids and descriptions are shown next to core's figures. */
export function taxRowsOf({ bills, payer }: { bills: readonly LoadedBill[]; payer: Pick<Payer, "taxes"> }) {
  const rows = [
    ...bills
      .flatMap(({ priceList, opening }) => [priceList, opening])
      .flatMap(({ planTaxes, commitmentTaxes, chargeTaxes }) => [
        ...planTaxes,
        ...commitmentTaxes,
        ...[...chargeTaxes.values()].flat(),
      ]),
    ...payer.taxes.customer,
    ...payer.taxes.organization,
  ];
  return new Map(rows.map((row) => [row.code, row]));
}
