/** The invoices that the last move brought. */
import type { TestClock } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Problem } from "../../api/problem.tsx";
import { showDay, showInstant } from "../../format/instants.ts";
import { Figure } from "../../ui/figure.tsx";
import table from "../../ui/table.module.css";
import { InvoiceStatus } from "../invoices/parts.ts";
import classes from "./clock-page.module.css";
import { madeSinceQuery } from "./queries.ts";

type Props = { organization: string; clock: TestClock; since: string | undefined; zone: string };

const LOOK_EVERY_MS = 2000;
const SHOWN = 100;

export function MadeSince({ organization, clock, since, zone }: Props) {
  const { data, error } = useQuery({
    ...madeSinceQuery(organization, clock.svc_id, since ?? clock.now),
    enabled: since !== undefined,
    refetchInterval: clock.status === "advancing" ? LOOK_EVERY_MS : false,
  });
  if (since === undefined)
    return (
      <p className={classes.weak}>
        What is due on the way is done at its own instant. Its invoices are then shown here.
      </p>
    );
  return (
    <section aria-label="What the move brought" className={classes.section}>
      <h2 className={classes.title}>Invoices since {showInstant(since, zone, "year")}</h2>
      <Problem error={error} />
      {data?.length === 0 && <p className={classes.weak}>None. No period of its customers ended on the way.</p>}
      {data && data.length > 0 && (
        <table className={`${table.table} ${classes.made}`}>
          <thead>
            <tr>
              <th scope="col">Number</th>
              <th scope="col">Customer</th>
              <th scope="col">Status</th>
              <th scope="col">Issued</th>
              <th scope="col" className={table.amount}>
                Amount
              </th>
            </tr>
          </thead>
          <tbody>
            {data.slice(0, SHOWN).map((invoice) => (
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
                <td>{invoice.customer.name ?? invoice.customer.external_id}</td>
                <td>
                  <InvoiceStatus invoice={invoice} />
                </td>
                <td className={classes.day}>{showDay(invoice.issuing_date)}</td>
                <td className={table.amount}>
                  <Figure minor={invoice.total_amount_cents} currency={invoice.currency} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data && data.length > 0 && (
        <p className={classes.weak}>
          {data.length > SHOWN
            ? `The last ${SHOWN} of ${data.length} invoices.`
            : `${data.length} ${data.length === 1 ? "invoice" : "invoices"}`}
        </p>
      )}
    </section>
  );
}
