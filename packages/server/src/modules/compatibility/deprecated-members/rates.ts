/** The single tax rate that customers and organizations had before taxes. */
import { parseTaxRate } from "@tallystick/core/catalog";
import { decimal, sumDecimals } from "@tallystick/core/money";
import { invalid } from "../../../http/problem.ts";
import type { Read } from "../../../http/translations.ts";
import { findDefaultTaxes, findTaxOfRate, type TaxRow, taxErrors } from "../../catalogue/index.ts";
import { findCustomer, findCustomerTaxes, findOwnTaxes } from "../../customers/index.ts";
import { isObject, type Members } from "./members.ts";

/** The rates of customers by id, for objects that show a customer without its taxes. */
export type RateOf = (customerId: unknown) => number | undefined;

/** All taxes apply, so their rates add up. */
export const sumRates = (taxes: unknown): number | undefined =>
  Array.isArray(taxes)
    ? Number(sumDecimals(taxes.filter(isObject).map(({ rate }) => decimal(String(rate)))).toFixed())
    : undefined;

const rateOfRows = (taxes: readonly TaxRow[]) => sumDecimals(taxes.map(({ rate }) => rate));

export async function loadRates(read: Read, customerIds: readonly string[]): Promise<RateOf> {
  if (customerIds.length === 0) return () => undefined;
  return read(async (batch, organizationId) => {
    const own = Map.groupBy(await findOwnTaxes(batch, organizationId, customerIds), (tax) => tax.customer_id);
    const defaults = await findDefaultTaxes(batch, organizationId);
    return (id) => Number(rateOfRows(own.get(String(id)) ?? defaults).toFixed());
  });
}

/**
 * The code of the organization's oldest tax with this rate. Undefined if the customer already has the rate, so that a client can send
 * back what it read. null removes the customer's own taxes.
 */
export async function toTaxCodes(rate: unknown, { external_id }: Members, read: Read): Promise<string[] | undefined> {
  if (rate === null) return [];
  const requested = readRate(rate);
  return read(async (batch, organizationId) => {
    const customer = await findCustomer(batch.tx, organizationId, String(external_id));
    const taxes = customer
      ? await findCustomerTaxes(batch, organizationId, customer.id)
      : { customer: [], organization: await findDefaultTaxes(batch, organizationId) };
    const present = taxes.customer.length > 0 ? taxes.customer : taxes.organization;
    if (rateOfRows(present).eq(requested)) return undefined;
    const tax = await findTaxOfRate(batch.tx, organizationId, requested);
    if (!tax) throw taxErrors.problem("tax_not_found");
    return [tax.code];
  });
}

/** The rate of an organization is set through its taxes (`applied_to_organization`). Here it can only repeat the current rate. */
export async function demandPresentRate(rate: unknown, read: Read): Promise<undefined> {
  const target = rate === null ? decimal("0") : readRate(rate);
  const present = await read((batch, organizationId) => findDefaultTaxes(batch, organizationId));
  if (!rateOfRows(present).eq(target)) throw invalid({ vat_rate: ["value_is_invalid"] });
}

function readRate(input: unknown): TaxRow["rate"] {
  const parsed = parseTaxRate(typeof input === "number" || typeof input === "string" ? String(input) : "");
  if (!parsed.ok) throw invalid({ vat_rate: [parsed.error] });
  return parsed.value;
}
