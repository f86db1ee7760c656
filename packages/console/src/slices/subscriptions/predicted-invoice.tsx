/** An invoice that does not exist yet, as it would be. */
import { showDay } from "../../format/instants.ts";
import { quantity } from "../../format/money.ts";
import { Figure } from "../../ui/figure.tsx";
import classes from "./predicted-invoice.module.css";

type Fee = {
  item: { name: string; invoice_display_name: string };
  filter_invoice_display_name: string | null;
  units: string;
  amount_cents: number;
};
export type Predicted = {
  issuing_date: string;
  currency: string;
  sub_total_excluding_taxes_amount_cents: number;
  taxes_amount_cents: number;
  coupons_amount_cents: number;
  credit_notes_amount_cents: number;
  prepaid_credit_amount_cents: number;
  total_amount_cents: number;
  fees: readonly Fee[];
};

export function PredictedInvoice({ invoice }: { invoice: Predicted }) {
  const { currency, fees } = invoice;
  const sums = [
    ["Coupons", -invoice.coupons_amount_cents],
    ["Taxes", invoice.taxes_amount_cents],
    ["Credit notes", -invoice.credit_notes_amount_cents],
    ["Prepaid credits", -invoice.prepaid_credit_amount_cents],
  ] as const;
  return (
    <div className={classes.sheet}>
      <p className={classes.date}>{showDay(invoice.issuing_date)}</p>
      <table>
        <tbody>
          {fees.map((fee, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: fees that do not exist yet have no id, and do not move
            <tr key={index}>
              <td>
                {[fee.item.invoice_display_name || fee.item.name, fee.filter_invoice_display_name]
                  .filter(Boolean)
                  .join(" · ")}
                <span className={classes.units}>{quantity(fee.units)}</span>
              </td>
              <td>
                <Figure minor={fee.amount_cents} currency={currency} />
              </td>
            </tr>
          ))}
          {sums
            .filter(([, amount]) => amount !== 0)
            .map(([name, amount]) => (
              <tr key={name} className={classes.sum}>
                <td>{name}</td>
                <td>
                  <Figure minor={amount} currency={currency} />
                </td>
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <td>
              <Figure minor={invoice.total_amount_cents} currency={currency} size="total" />
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
