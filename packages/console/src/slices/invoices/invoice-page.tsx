/** Why this amount, and is it right? */

import { useHotkeys } from "@mantine/hooks";
import type { Fee, InvoiceWithFees } from "@tallystick/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { showDay } from "../../format/instants.ts";
import { quantity } from "../../format/money.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { Figure } from "../../ui/figure.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import { Tally } from "../../ui/tally.tsx";
import { DocumentPages } from "./document-pages.tsx";
import { ExplainFee } from "./explain-fee.tsx";
import { InvoiceActions } from "./invoice-actions.tsx";
import { InvoiceFacts } from "./invoice-facts.tsx";
import classes from "./invoice-page.module.css";
import { invoiceQuery } from "./queries.ts";
import { InvoiceStatus } from "./status.tsx";

const FROM = "/o/$organization/invoices/$id";
/** More strokes are not counted at a glance. */
const STROKES_MAX = 15;

export function InvoicePage() {
  const { organization, id } = useParams({ from: FROM });
  const { line, document: showsDocument } = useSearch({ from: FROM });
  const navigate = useNavigate();
  const { data: invoice } = useSuspenseQuery(invoiceQuery(organization, id));
  const { fees, currency } = invoice;
  const chosen = fees.find(({ svc_id }) => svc_id === line);
  const choose = (feeId: string | undefined) => {
    const search = feeId ? { line: feeId } : {};
    void navigate({ to: FROM, params: { organization, id }, search, replace: true });
  };
  const step = (by: number) => {
    const at = chosen ? fees.indexOf(chosen) + by : 0;
    const next = fees[Math.max(0, Math.min(at, fees.length - 1))];
    if (next) choose(next.svc_id);
  };
  useHotkeys([
    ["ArrowDown", () => step(1)],
    ["ArrowUp", () => step(-1)],
    ["w", () => step(0)],
    ["Escape", () => choose(undefined)],
  ]);
  return (
    <>
      <BackLink to="/o/$organization/invoices" params={{ organization }}>
        Invoices
      </BackLink>
      <PageTitle title={invoice.customer.name ?? invoice.customer.external_id} under={<Under invoice={invoice} />}>
        <InvoiceActions organization={organization} invoice={invoice} />
      </PageTitle>
      <div className={classes.columns}>
        <div>
          <nav className={classes.looks} aria-label="How it is shown">
            <Look organization={organization} id={id} isDocument={false} isCurrent={!showsDocument} />
            <Look organization={organization} id={id} isDocument isCurrent={showsDocument === true} />
          </nav>
          {showsDocument ? (
            <DocumentPages organization={organization} id={id} name={invoice.number || "Draft"} />
          ) : (
            <section className={classes.document} aria-label="Lines">
              <Lines invoice={invoice} line={line} onChoose={choose} />
            </section>
          )}
        </div>
        <section className={classes.side} aria-label={chosen ? "Why this amount" : "About this invoice"}>
          {chosen ? (
            <ExplainFee
              organization={organization}
              fee={chosen}
              currency={currency}
              onClose={() => choose(undefined)}
            />
          ) : (
            <InvoiceFacts organization={organization} invoice={invoice} />
          )}
        </section>
      </div>
    </>
  );
}

type LookProps = { organization: string; id: string; isDocument: boolean; isCurrent: boolean };

/** A chosen line is a way to look at the lines, so the address alone does not say which is current. */
const NOT_BY_ADDRESS = {};

function Look({ organization, id, isDocument, isCurrent }: LookProps) {
  return (
    <Link
      to={FROM}
      params={{ organization, id }}
      search={isDocument ? { document: true } : {}}
      replace
      className={classes.look}
      data-current={isCurrent || undefined}
      aria-current={isCurrent ? "true" : undefined}
      activeProps={NOT_BY_ADDRESS}
    >
      {isDocument ? "As the customer sees it" : "Lines"}
    </Link>
  );
}

function Under({ invoice }: { invoice: InvoiceWithFees }) {
  const isDraft = invoice.status === "draft";
  return (
    <>
      <InvoiceStatus invoice={invoice} />
      {invoice.number && <span>{invoice.number}</span>}
      <span>
        {isDraft ? "becomes final on" : "issued"} {showDay(invoice.issuing_date)}
      </span>
      <span>due {showDay(invoice.payment_due_date)}</span>
    </>
  );
}

type LinesProps = {
  invoice: InvoiceWithFees;
  line: string | undefined;
  onChoose: (feeId: string | undefined) => void;
};

function Lines({ invoice, line, onChoose }: LinesProps) {
  const { fees, currency } = invoice;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col" className={classes.units}>
            Units
          </th>
          <th scope="col" className={classes.amount}>
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {fees.map((fee) => {
          const isChosen = fee.svc_id === line;
          return (
            <tr key={fee.svc_id} data-chosen={isChosen || undefined}>
              <td>
                <button
                  type="button"
                  className={classes.why}
                  aria-pressed={isChosen}
                  onClick={() => onChoose(isChosen ? undefined : fee.svc_id)}
                >
                  <span className={classes.name}>{fee.item.invoice_display_name || fee.item.name}</span>
                  {fee.filter_invoice_display_name && (
                    <span className={classes.filter}>{fee.filter_invoice_display_name}</span>
                  )}
                </button>
                <Counted fee={fee} />
              </td>
              <td className={classes.units}>{quantity(fee.units)}</td>
              <td className={classes.amount}>
                <Figure minor={fee.amount_cents} currency={currency} />
              </td>
            </tr>
          );
        })}
      </tbody>
      <Sums invoice={invoice} />
    </table>
  );
}

function Counted({ fee: { events_count: count } }: { fee: Fee }) {
  if (!count) return null;
  return (
    <span className={classes.events}>
      {count <= STROKES_MAX && <Tally count={count} height={11} />} {quantity(String(count))}{" "}
      {count === 1 ? "event" : "events"}
    </span>
  );
}

function Sums({ invoice }: { invoice: InvoiceWithFees }) {
  const { currency, status } = invoice;
  const given = (name: string, amount: number) => (amount ? [[name, -amount] as const] : []);
  const sums = [
    ...given("Coupons", invoice.coupons_amount_cents),
    ["Subtotal", invoice.sub_total_excluding_taxes_amount_cents] as const,
    ...invoice.applied_taxes.map(
      ({ tax_name, tax_rate, amount_cents }) => [`${tax_name} ${tax_rate} %`, amount_cents] as const,
    ),
    ...given("Credit notes", invoice.credit_notes_amount_cents),
    ...given("Prepaid credits", invoice.prepaid_credit_amount_cents),
  ];
  const after =
    status === "finalized"
      ? [
          ...given("Paid", invoice.total_paid_amount_cents),
          ...given("Written off", invoice.total_written_off_amount_cents),
        ]
      : [];
  return (
    <tfoot>
      {sums.map(([name, amount], index) => (
        <Sum key={name} name={name} amount={amount} currency={currency} isFirst={index === 0} />
      ))}
      <tr className={classes.total}>
        <th scope="row" colSpan={2}>
          Total {currency}
        </th>
        <td className={classes.amount}>
          <Figure minor={invoice.total_amount_cents} currency={currency} size="total" />
        </td>
      </tr>
      {after.map(([name, amount]) => (
        <Sum key={name} name={name} amount={amount} currency={currency} />
      ))}
      {after.length > 0 && <Sum name="Due" amount={invoice.total_due_amount_cents} currency={currency} />}
    </tfoot>
  );
}

type SumProps = { name: string; amount: number; currency: string; isFirst?: boolean };

function Sum({ name, amount, currency, isFirst }: SumProps) {
  return (
    <tr data-first={isFirst || undefined}>
      <th scope="row" colSpan={2}>
        {name}
      </th>
      <td className={classes.amount}>
        <Figure minor={amount} currency={currency} />
      </td>
    </tr>
  );
}
