/** What is out, what is late: every invoice, by state. */
import { Button } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { showDay, showDayShort } from "../../format/instants.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Figure } from "../../ui/figure.tsx";
import { FindField } from "../../ui/find-field.tsx";
import bar from "../../ui/list-bar.module.css";
import { PageTitle } from "../../ui/page-title.tsx";
import { Pages } from "../../ui/pages.tsx";
import table from "../../ui/table.module.css";
import classes from "./list-page.module.css";
import { invoicesQuery, summaryQuery } from "./queries.ts";
import { type InvoiceSearch, VIEWS, type View } from "./search.ts";
import { InvoiceStatus } from "./status.tsx";

const NAMES: Readonly<Record<View, string>> = {
  all: "All",
  draft: "Drafts",
  to_pay: "To pay",
  overdue: "Overdue",
  paid: "Paid",
  payment_failed: "Failed",
  voided: "Voided",
};

const count = new Intl.NumberFormat();

const FROM = "/o/$organization/invoices";

export function InvoiceListPage() {
  const { organization } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const go = (next: InvoiceSearch, replace = false) =>
    void navigate({ to: FROM, params: { organization }, search: next, replace });
  const { data } = useSuspenseQuery(invoicesQuery(organization, search));
  const { items, meta } = data;
  const isFiltered = Boolean(search.view || search.q || search.customer);
  return (
    <>
      <PageTitle title="Invoices" />
      <div className={bar.bar}>
        <Views search={search} />
        <FindField
          label="Find an invoice"
          placeholder="Number, customer or email"
          value={search.q}
          onFind={(q) => go({ ...search, q: q || undefined, page: undefined }, true)}
        />
      </div>
      {search.customer && (
        <p className={classes.filter}>
          Of customer <strong>{search.customer}</strong>
          <Button variant="subtle" size="compact-xs" onClick={() => go({ ...search, customer: undefined })}>
            Show all customers
          </Button>
        </p>
      )}
      {items.length > 0 ? (
        <InvoiceTable invoices={items} organization={organization} />
      ) : isFiltered ? (
        <EmptyState title="No invoice fits">
          <Button variant="default" onClick={() => go({})}>
            Show all invoices
          </Button>
        </EmptyState>
      ) : (
        <EmptyState title="There is no invoice yet">
          <p>
            Invoices are created when a period of a subscription ends. Subscribe a customer, send usage, and in a
            sandbox move the clock.
          </p>
          <Link to="/o/$organization" params={{ organization }} className={classes.start}>
            Get started
          </Link>
        </EmptyState>
      )}
      <Due search={search} />
      <Pages meta={meta} one="invoice" many="invoices" onGo={(page) => go({ ...search, page })} />
    </>
  );
}

function Views({ search }: { search: InvoiceSearch }) {
  const { organization } = useParams({ from: FROM });
  const { data: summary } = useQuery(summaryQuery(organization, search));
  return (
    <nav className={bar.views} aria-label="Views">
      {VIEWS.filter((view) => view !== "payment_failed" || summary?.payment_failed.count || search.view === view).map(
        (view) => (
          <Link
            key={view}
            to={FROM}
            params={{ organization }}
            search={{ ...search, view: view === "all" ? undefined : view, page: undefined }}
            className={bar.view}
            aria-current={(search.view ?? "all") === view ? "page" : undefined}
            activeOptions={{ exact: true }}
          >
            {NAMES[view]} <span className={bar.count}>{summary ? count.format(summary[view].count) : ""}</span>
          </Link>
        ),
      )}
    </nav>
  );
}

/** What all invoices of the view come to, not only those of the page. */
function Due({ search }: { search: InvoiceSearch }) {
  const { organization } = useParams({ from: FROM });
  const { data: summary } = useQuery(summaryQuery(organization, search));
  const amounts = summary?.[search.view ?? "all"].amounts.filter(({ total_due_amount_cents: due }) => due !== 0) ?? [];
  if (amounts.length === 0) return null;
  return (
    <p className={classes.due_all}>
      Due:{" "}
      {amounts.map(({ currency, total_due_amount_cents }) => (
        <Figure key={currency} minor={total_due_amount_cents} currency={currency} size="total" />
      ))}
    </p>
  );
}

type Listed = Awaited<ReturnType<NonNullable<ReturnType<typeof invoicesQuery>["queryFn"]>>>["items"];

function InvoiceTable({ invoices, organization }: { invoices: Listed; organization: string }) {
  const navigate = useNavigate();
  const [at, setAt] = useState(-1);
  useHotkeys([
    ["j", () => setAt((row) => Math.min(row + 1, invoices.length - 1))],
    ["k", () => setAt((row) => Math.max(row - 1, 0))],
    [
      "enter",
      () => {
        const id = invoices[at]?.svc_id;
        if (id) void navigate({ to: "/o/$organization/invoices/$id", params: { organization, id } });
      },
    ],
  ]);
  return (
    <table className={`${table.table} ${classes.table}`}>
      <thead>
        <tr>
          <th scope="col">Number</th>
          <th scope="col">Customer</th>
          <th scope="col">Status</th>
          <th scope="col">Issued</th>
          <th scope="col">Due</th>
          <th scope="col" className={table.amount}>
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {invoices.map((invoice, index) => (
          <tr key={invoice.svc_id} data-at={index === at || undefined}>
            <td className={classes.number}>
              <Link
                to="/o/$organization/invoices/$id"
                params={{ organization, id: invoice.svc_id }}
                className={table.cover}
              >
                {invoice.number || "Draft"}
              </Link>
            </td>
            <td className={`${classes.customer} ${table.long}`}>
              {invoice.customer.name ?? invoice.customer.external_id}
            </td>
            <td className={classes.state}>
              <InvoiceStatus invoice={invoice} />
            </td>
            <td className={classes.issued}>{showDay(invoice.issuing_date)}</td>
            <td className={classes.due}>{showDayShort(invoice.payment_due_date)}</td>
            <td className={table.amount} data-voided={invoice.status === "voided" || undefined}>
              <Figure minor={invoice.total_amount_cents} currency={invoice.currency} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
