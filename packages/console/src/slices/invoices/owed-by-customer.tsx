/** What a customer owes by its invoices, and how much of it is late. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Figure } from "../../ui/figure.tsx";
import classes from "./owed-by-customer.module.css";
import { summaryQuery } from "./queries.ts";

export function OwedByCustomer({ organization, customer }: { organization: string; customer: string }) {
  const { data } = useQuery(summaryQuery(organization, { customer }));
  const owed = data?.all.amounts.filter(({ total_due_amount_cents: due }) => due !== 0) ?? [];
  if (!data || data.all.count === 0) return null;
  return (
    <section className={classes.owed} aria-label="Owed">
      <h3>{owed.length > 0 ? "Owes" : "Owes nothing"}</h3>
      {owed.map(({ currency, total_due_amount_cents: due }) => (
        <div key={currency}>
          <Figure minor={due} currency={currency} size="big" />
        </div>
      ))}
      {data.overdue.count > 0 && (
        <p>
          <Link to="/o/$organization/invoices" params={{ organization }} search={{ customer, view: "overdue" }}>
            Overdue
          </Link>
          :{" "}
          {data.overdue.amounts.map(({ currency, total_due_amount_cents: due }) => (
            <Figure key={currency} minor={due} currency={currency} />
          ))}
        </p>
      )}
    </section>
  );
}
