/** Who is on which plan. */
import { Button } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FindField } from "../../ui/find-field.tsx";
import bar from "../../ui/list-bar.module.css";
import { PageTitle } from "../../ui/page-title.tsx";
import { Pages } from "../../ui/pages.tsx";
import classes from "./list-page.module.css";
import { subscriptionsQuery } from "./queries.ts";
import { STATUSES, type SubscriptionSearch } from "./search.ts";
import { SubscriptionTable } from "./subscription-table.tsx";

const FROM = "/o/$organization/subscriptions";
const NAMES = { active: "Active", pending: "Not started", terminated: "Ended", canceled: "Canceled" } as const;

export function SubscriptionListPage() {
  const { organization } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const go = (next: SubscriptionSearch, replace = false) =>
    void navigate({ to: FROM, params: { organization }, search: next, replace });
  const { data } = useSuspenseQuery(subscriptionsQuery(organization, search));
  const status = search.status ?? "active";
  return (
    <>
      <PageTitle title="Subscriptions" />
      <div className={bar.bar}>
        <nav className={bar.views} aria-label="Views">
          {STATUSES.map((one) => (
            <Link
              key={one}
              to={FROM}
              params={{ organization }}
              search={{ ...search, status: one === "active" ? undefined : one, page: undefined }}
              className={bar.view}
              aria-current={status === one ? "page" : undefined}
              activeOptions={{ exact: true }}
            >
              {NAMES[one]}
            </Link>
          ))}
        </nav>
        <FindField
          label="Find a subscription"
          placeholder="Id, name or plan"
          value={search.q}
          onFind={(q) => go({ ...search, q: q || undefined, page: undefined }, true)}
        />
      </div>
      {data.items.length > 0 ? (
        <SubscriptionTable organization={organization} subscriptions={data.items} showsCustomer />
      ) : search.q ? (
        <EmptyState title="No subscription fits">
          <Button variant="default" onClick={() => go({})}>
            Show all active ones
          </Button>
        </EmptyState>
      ) : (
        <EmptyState title={status === "active" ? "There is no active subscription" : "There is none in this state"}>
          <p>A subscription puts a customer on a plan. Choose the customer first.</p>
          <Link to="/o/$organization/customers" params={{ organization }} className={classes.link}>
            Customers
          </Link>
        </EmptyState>
      )}
      <Pages meta={data.meta} one="subscription" many="subscriptions" onGo={(page) => go({ ...search, page })} />
    </>
  );
}
