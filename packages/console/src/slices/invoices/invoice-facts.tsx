/** About an invoice: its total, whether it computes to the same again, who it is for, and what was given back of it. */
import type { InvoiceVerification, InvoiceWithFees } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Problem } from "../../api/problem.tsx";
import { Figure } from "../../ui/figure.tsx";
import { SplitStick } from "../../ui/tally.tsx";
import classes from "./invoice-page.module.css";
import { creditNotesQuery, verificationQuery } from "./queries.ts";

type Props = { organization: string; invoice: InvoiceWithFees };

export function InvoiceFacts({ organization, invoice }: Props) {
  const { customer, currency } = invoice;
  const place = [customer.city, customer.country].filter(Boolean).join(", ");
  return (
    <>
      <div className={classes.big}>
        <Figure minor={invoice.total_amount_cents} currency={currency} size="big" />
      </div>
      {invoice.status === "finalized" && <Verified organization={organization} id={invoice.svc_id} />}
      {invoice.fees.length > 0 && (
        <p className={classes.hint}>Choose a line to see why it costs what it costs, down to the events.</p>
      )}
      <dl className={classes.facts}>
        <dt>Customer</dt>
        <dd>
          <Link
            to="/o/$organization/customers/$customer"
            params={{ organization, customer: customer.external_id }}
            className={classes.link}
          >
            {customer.name ?? customer.external_id}
          </Link>
        </dd>
        {customer.email && (
          <>
            <dt>Email</dt>
            <dd>{customer.email}</dd>
          </>
        )}
        {place && (
          <>
            <dt>Place</dt>
            <dd>{place}</dd>
          </>
        )}
        <dt>Days are of</dt>
        <dd>{customer.applicable_timezone}</dd>
      </dl>
      <CreditNotes organization={organization} invoice={invoice} />
    </>
  );
}

function Verified({ organization, id }: { organization: string; id: string }) {
  const { data, error } = useQuery(verificationQuery(organization, id));
  if (error) return <Problem error={error} />;
  const isSame = data?.status === "same";
  return (
    <div className={classes.verified} data-matches={data ? isSame : undefined} role="status">
      <SplitStick matches={data ? isSame : true} />
      <div>
        <strong>
          {data ? (isSame ? "Recomputed: identical" : "Recomputed: not identical") : "Computing it again…"}
        </strong>
        {data && !isSame ? (
          <Differences verification={data} />
        ) : (
          <p>From the same events, prices and taxes{data ? ", just now" : ""}.</p>
        )}
      </div>
    </div>
  );
}

function Differences({ verification: { differences, causes } }: { verification: InvoiceVerification }) {
  return (
    <>
      {causes.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
      <p>
        {differences.length} {differences.length === 1 ? "figure differs" : "figures differ"}:{" "}
        {differences
          .slice(0, 3)
          .map(({ member, stored, recomputed }) => `${member} ${stored ?? "none"} → ${recomputed ?? "none"}`)
          .join("; ")}
      </p>
    </>
  );
}

function CreditNotes({ organization, invoice }: Props) {
  const { data } = useQuery(creditNotesQuery(organization, invoice.customer.external_id));
  const notes = data?.filter(({ svc_invoice_id }) => svc_invoice_id === invoice.svc_id) ?? [];
  if (notes.length === 0) return null;
  return (
    <>
      <h2 className={classes.subtitle}>Credit notes</h2>
      <ul className={classes.notes}>
        {notes.map(({ svc_id, number, total_amount_cents, currency }) => (
          <li key={svc_id}>
            <span>{number}</span> <Figure minor={-total_amount_cents} currency={currency} />
          </li>
        ))}
      </ul>
    </>
  );
}
