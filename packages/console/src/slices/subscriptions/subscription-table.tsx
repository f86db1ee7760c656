/** Subscriptions as a ledger. */
import type { Subscription } from "@tallystick/client";
import { Link } from "@tanstack/react-router";
import { showInstantDay } from "../../format/instants.ts";
import { Status } from "../../ui/status.tsx";
import table from "../../ui/table.module.css";
import classes from "./list-page.module.css";

type Props = { organization: string; subscriptions: readonly Subscription[]; showsCustomer?: boolean };

export function SubscriptionTable({ organization, subscriptions, showsCustomer }: Props) {
  return (
    <table className={`${table.table} ${classes.table}`}>
      <thead>
        <tr>
          <th scope="col">Subscription</th>
          {showsCustomer && (
            <th scope="col" className={classes.customer}>
              Customer
            </th>
          )}
          <th scope="col" className={classes.plan}>
            Plan
          </th>
          <th scope="col">Status</th>
          <th scope="col" className={classes.since}>
            Since
          </th>
        </tr>
      </thead>
      <tbody>
        {subscriptions.map((subscription) => (
          <tr key={subscription.svc_id}>
            <td className={`${classes.name} ${table.long}`}>
              <Link
                to="/o/$organization/subscriptions/$subscription"
                params={{ organization, subscription: subscription.external_id }}
                className={table.cover}
              >
                {subscription.name || subscription.external_id}
              </Link>
            </td>
            {showsCustomer && (
              <td className={`${classes.customer} ${table.long}`}>{subscription.external_customer_id}</td>
            )}
            <td className={`${classes.plan} ${table.long}`}>{subscription.plan_code}</td>
            <td>
              <Status state={subscription.status} />
            </td>
            <td className={classes.since}>{showInstantDay(subscription.started_at ?? subscription.subscription_at)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
