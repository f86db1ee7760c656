/** Everyone who is billed. */
import { Button } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { showInstantDay } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FindField } from "../../ui/find-field.tsx";
import bar from "../../ui/list-bar.module.css";
import { PageTitle } from "../../ui/page-title.tsx";
import { Pages } from "../../ui/pages.tsx";
import table from "../../ui/table.module.css";
import { CustomerDialog } from "./customer-dialog.tsx";
import classes from "./list-page.module.css";
import { customersQuery } from "./queries.ts";
import type { CustomerSearch } from "./search.ts";

const FROM = "/o/$organization/customers";

export function CustomerListPage() {
  const { organization } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const go = (next: CustomerSearch, replace = false) =>
    void navigate({ to: FROM, params: { organization }, search: next, replace });
  const { data } = useSuspenseQuery(customersQuery(organization, search));
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal(organization, "customer");
  const create = () => setOpen(true);
  useHotkeys([["c", () => refusal === undefined && create()]]);
  return (
    <>
      <PageTitle title="Customers">
        <Action refusal={refusal} onClick={create}>
          New customer
        </Action>
      </PageTitle>
      <div className={bar.bar}>
        <FindField
          label="Find a customer"
          placeholder="Name, id or email"
          value={search.q}
          onFind={(q) => go(q ? { q } : {}, true)}
        />
      </div>
      {data.items.length > 0 && (
        <table className={`${table.table} ${classes.table}`}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Id</th>
              <th scope="col">Email</th>
              <th scope="col">Currency</th>
              <th scope="col">Created</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map(({ svc_id, external_id, name, email, currency, created_at }) => (
              <tr key={svc_id}>
                <td className={`${classes.name} ${table.long}`}>
                  <Link
                    to="/o/$organization/customers/$customer"
                    params={{ organization, customer: external_id }}
                    className={table.cover}
                  >
                    {name || external_id}
                  </Link>
                </td>
                <td className={`${classes.id} ${table.long}`}>{external_id}</td>
                <td className={`${classes.email} ${table.long}`}>{email}</td>
                <td className={classes.currency}>{currency}</td>
                <td className={classes.created}>{showInstantDay(created_at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data.items.length === 0 && search.q && (
        <EmptyState title="No customer fits">
          <Button variant="default" onClick={() => go({})}>
            Show all customers
          </Button>
        </EmptyState>
      )}
      {data.items.length === 0 && !search.q && (
        <EmptyState title="There is no customer yet">
          <p>A customer is someone you bill. Create one here, or send one to the API.</p>
          <Action refusal={refusal} onClick={create}>
            Create a customer
          </Action>
        </EmptyState>
      )}
      <Pages meta={data.meta} one="customer" many="customers" onGo={(page) => go({ ...search, page })} />
      {isOpen && <CustomerDialog organization={organization} onClose={() => setOpen(false)} />}
    </>
  );
}
