/** What is sold, and who has it. */
import { Button } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import type { Plan } from "@tallystick/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useRefusal } from "../../api/permissions.ts";
import { Action } from "../../ui/action.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Figure } from "../../ui/figure.tsx";
import { FindField } from "../../ui/find-field.tsx";
import bar from "../../ui/list-bar.module.css";
import { PageTitle } from "../../ui/page-title.tsx";
import { Pages } from "../../ui/pages.tsx";
import table from "../../ui/table.module.css";
import classes from "./list-page.module.css";
import { plansQuery } from "./queries.ts";
import type { PlanSearch } from "./search.ts";
import { TemplateList } from "./template-list.tsx";
import { INTERVAL_WORDS } from "./words.ts";

const FROM = "/o/$organization/plans";

export function PlanListPage() {
  const { organization } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const go = (next: PlanSearch, replace = false) =>
    void navigate({ to: FROM, params: { organization }, search: next, replace });
  const { data } = useSuspenseQuery(plansQuery(organization, search));
  const refusal = useRefusal(organization, "plan");
  const create = () => void navigate({ to: "/o/$organization/new-plan", params: { organization } });
  useHotkeys([["c", () => refusal === undefined && create()]]);
  return (
    <>
      <PageTitle title="Plans">
        <Action refusal={refusal} onClick={create}>
          New plan
        </Action>
      </PageTitle>
      <div className={bar.bar}>
        <FindField
          label="Find a plan"
          placeholder="Name or code"
          value={search.q}
          onFind={(q) => go(q ? { q } : {}, true)}
        />
      </div>
      {data.items.length > 0 && <PlanTable organization={organization} plans={data.items} />}
      {data.items.length === 0 && search.q && (
        <EmptyState title="No plan fits">
          <Button variant="default" onClick={() => go({})}>
            Show all plans
          </Button>
        </EmptyState>
      )}
      {data.items.length === 0 && !search.q && (
        <>
          <EmptyState title="There is no plan yet">
            <p>A plan says what a customer pays: a base fee, and a price for what is used. Begin with one of these.</p>
          </EmptyState>
          <TemplateList organization={organization} />
        </>
      )}
      <Pages meta={data.meta} one="plan" many="plans" onGo={(page) => go({ ...search, page })} />
    </>
  );
}

function PlanTable({ organization, plans }: { organization: string; plans: readonly Plan[] }) {
  return (
    <table className={`${table.table} ${classes.table}`}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" className={classes.code}>
            Code
          </th>
          <th scope="col" className={table.amount}>
            Base fee
          </th>
          <th scope="col" className={classes.interval}>
            Billed
          </th>
          <th scope="col" className={`${table.amount} ${classes.charges}`}>
            Charges
          </th>
          <th scope="col" className={table.amount}>
            Subscriptions
          </th>
        </tr>
      </thead>
      <tbody>
        {plans.map((plan) => (
          <tr key={plan.svc_id}>
            <td className={`${classes.name} ${table.long}`}>
              <Link
                to="/o/$organization/plans/$plan"
                params={{ organization, plan: plan.code }}
                className={table.cover}
              >
                {plan.name}
              </Link>
            </td>
            <td className={`${classes.code} ${table.long}`}>{plan.code}</td>
            <td className={table.amount}>
              <Figure minor={plan.amount_cents} currency={plan.amount_currency} />
            </td>
            <td className={classes.interval}>{INTERVAL_WORDS[plan.interval].every}</td>
            <td className={`${table.amount} ${classes.charges}`}>{plan.charges.length}</td>
            <td className={table.amount}>{plan.active_subscriptions_count.toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
