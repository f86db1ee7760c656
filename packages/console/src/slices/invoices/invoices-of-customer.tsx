/** The last invoices of a customer. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Problem } from "../../api/problem.tsx";
import { showDay } from "../../format/instants.ts";
import { Figure } from "../../ui/figure.tsx";
import table from "../../ui/table.module.css";
import classes from "./list-page.module.css";
import { invoicesQuery } from "./queries.ts";
import { InvoiceStatus } from "./status.tsx";

const SHOWN = 10;

export function InvoicesOfCustomer({ organization, customer }: { organization: string; customer: string }) {
  const { data, error } = useQuery(invoicesQuery(organization, { customer }));
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (data.items.length === 0) return <p className={table.weak}>No invoice yet.</p>;
  return (
    <>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Number</th>
            <th scope="col">Status</th>
            <th scope="col" className={classes.issued}>
              Issued
            </th>
            <th scope="col" className={table.amount}>
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {data.items.slice(0, SHOWN).map((invoice) => (
            <tr key={invoice.svc_id}>
              <td className={classes.number}>
                <Link
                  to="/o/$organization/invoices/$id"
                  params={{ organization, id: invoice.svc_id }}
                  className={table.cover}
                >
                  {invoice.number || "Draft"}
                </Link>
              </td>
              <td>
                <InvoiceStatus invoice={invoice} />
              </td>
              <td className={classes.issued}>{showDay(invoice.issuing_date)}</td>
              <td className={table.amount} data-voided={invoice.status === "voided" || undefined}>
                <Figure minor={invoice.total_amount_cents} currency={invoice.currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {(data.meta.total_count ?? 0) > SHOWN && (
        <Link to="/o/$organization/invoices" params={{ organization }} search={{ customer }} className={classes.start}>
          All {data.meta.total_count} invoices
        </Link>
      )}
    </>
  );
}
