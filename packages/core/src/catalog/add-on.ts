/** An add-on: an item that is billed once, on an invoice of its own. */
import type { Currency, Minor } from "../money/index.ts";
import {
  cents,
  codes,
  currencyCode,
  longText,
  type Members,
  name,
  optional,
  required,
  shortText,
  withChange,
} from "./members.ts";
import { combine, type Faults, type Result } from "./result.ts";

export type AddOn = {
  readonly code: string;
  readonly name: string;
  readonly invoiceDisplayName: string | null;
  readonly description: string | null;
  readonly amountMinor: Minor;
  readonly currency: Currency;
  readonly taxCodes: readonly string[];
};

/** An add-on from the members of a request. */
export function parseAddOn(input: Members): Result<AddOn, Faults> {
  return combine({
    name: required(input, "name", name),
    code: required(input, "code", name),
    invoiceDisplayName: optional(input, "invoice_display_name", shortText, null),
    description: optional(input, "description", longText, null),
    amountMinor: required(input, "amount_cents", cents(1n)),
    currency: required(input, "amount_currency", currencyCode),
    taxCodes: optional(input, "tax_codes", codes, []),
  });
}

/** The members of the API that make this add-on. */
export function addOnMembers(addOn: AddOn): Members {
  return {
    name: addOn.name,
    code: addOn.code,
    invoice_display_name: addOn.invoiceDisplayName,
    description: addOn.description,
    amount_cents: Number(addOn.amountMinor),
    amount_currency: addOn.currency,
    tax_codes: addOn.taxCodes,
  };
}

/** The add-on after an update. Existing invoices do not change. */
export function addOnAfterUpdate(current: AddOn, change: Members): Result<AddOn, Faults> {
  return parseAddOn(withChange(addOnMembers(current), change));
}
