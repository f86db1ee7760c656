/** Who has a plan. */
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { showInstantDay } from "../../format/instants.ts";
import { Status } from "../../ui/status.tsx";
import table from "../../ui/table.module.css";
import classes from "./plan-page.module.css";
import { subscriptionsOfPlanQuery } from "./queries.ts";

/** The page shows so many; the list of subscriptions finds the others by the code of the plan. */
const SHOWN = 10;

export function PlanSubscriptions({ organization, code }: { organization: string; code: string }) {
  const { data } = useSuspenseQuery(subscriptionsOfPlanQuery(organization, code));
  if (data.items.length === 0)
    return <p className={table.weak}>No customer has the plan yet. Subscribe one to it on its page.</p>;
  const total = data.meta.total_count ?? 0;
  return (
    <>
      <table className={`${table.table} ${classes.subscriptions}`}>
        <thead>
          <tr>
            <th scope="col">Subscription</th>
            <th scope="col">Customer</th>
            <th scope="col">Status</th>
            <th scope="col" className={classes.since}>
              Since
            </th>
          </tr>
        </thead>
        <tbody>
          {data.items.slice(0, SHOWN).map((subscription) => (
            <tr key={subscription.svc_id}>
              <td className={table.long}>
                <Link
                  to="/o/$organization/subscriptions/$subscription"
                  params={{ organization, subscription: subscription.external_id }}
                  className={table.cover}
                >
                  {subscription.name || subscription.external_id}
                </Link>
              </td>
              <td className={table.long}>{subscription.external_customer_id}</td>
              <td>
                <Status state={subscription.status} />
              </td>
              <td className={classes.since}>
                {showInstantDay(subscription.started_at ?? subscription.subscription_at)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > SHOWN && (
        <p className={classes.more}>
          <Link to="/o/$organization/subscriptions" params={{ organization }} search={{ q: code }}>
            All {total.toLocaleString()}
          </Link>
        </p>
      )}
    </>
  );
}
