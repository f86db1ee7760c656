/** What the next invoice will be, and why; and every change, seen before it is made. */
import type { ChargeUsage, SubscriptionWithPlan } from "@tallystick/client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { showDay, showDayIn, showInstantDay } from "../../format/instants.ts";
import { money, quantity } from "../../format/money.ts";
import { Action } from "../../ui/action.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { Figure } from "../../ui/figure.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import { Status } from "../../ui/status.tsx";
import table from "../../ui/table.module.css";
import { customerQuery } from "../customers/index.ts";
import { PredictedInvoice } from "./predicted-invoice.tsx";
import { nextInvoiceQuery, subscriptionQuery, usageQuery } from "./queries.ts";
import classes from "./subscription-page.module.css";

const DIALOGS = {
  plan: lazy(async () => ({ default: (await import("./change-plan-dialog.tsx")).ChangePlanDialog })),
  prices: lazy(async () => ({ default: (await import("./own-prices-dialog.tsx")).OwnPricesDialog })),
  end: lazy(async () => ({ default: (await import("./end-dialog.tsx")).EndDialog })),
};

export function SubscriptionPage() {
  const { organization, subscription: externalId } = useParams({
    from: "/o/$organization/subscriptions/$subscription",
  });
  const { data: subscription } = useSuspenseQuery(subscriptionQuery(organization, externalId));
  const [dialog, setDialog] = useState<keyof typeof DIALOGS>();
  const refusal = useRefusal(organization, "subscription");
  const mayPrice = useRefusal(organization, "plan_override");
  const isOpen = subscription.status === "active" || subscription.status === "pending";
  const Dialog = dialog && DIALOGS[dialog];
  return (
    <>
      <BackLink
        to="/o/$organization/customers/$customer"
        params={{ organization, customer: subscription.external_customer_id }}
      >
        {subscription.external_customer_id}
      </BackLink>
      <PageTitle title={subscription.name || subscription.external_id} under={<Under subscription={subscription} />}>
        {isOpen && (
          <>
            <Action variant="default" refusal={refusal} onClick={() => setDialog("end")}>
              End
            </Action>
            <Action variant="default" refusal={refusal ?? mayPrice} onClick={() => setDialog("prices")}>
              Prices
            </Action>
            <Action refusal={refusal} onClick={() => setDialog("plan")}>
              Change plan
            </Action>
          </>
        )}
      </PageTitle>
      <div className={classes.columns}>
        <Usage organization={organization} subscription={subscription} />
        <NextInvoice organization={organization} subscription={subscription} />
      </div>
      {Dialog && (
        <Suspense fallback={null}>
          <Dialog organization={organization} subscription={subscription} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
    </>
  );
}

function Under({ subscription }: { subscription: SubscriptionWithPlan }) {
  const { plan, started_at, ending_at, next_plan_code, downgrade_plan_date } = subscription;
  return (
    <>
      <Status state={subscription.status} />
      <span>
        {plan.name}, {money(plan.amount_cents, plan.amount_currency)} {plan.interval}
      </span>
      {started_at && <span>since {showInstantDay(started_at)}</span>}
      {ending_at && <span>ends {showInstantDay(ending_at)}</span>}
      {next_plan_code && (
        <span>
          changes to {next_plan_code}
          {downgrade_plan_date && ` on ${showDay(downgrade_plan_date)}`}
        </span>
      )}
    </>
  );
}

type PartProps = { organization: string; subscription: SubscriptionWithPlan };

function Usage({ organization, subscription }: PartProps) {
  const { data, error } = useQuery({
    ...usageQuery(organization, subscription),
    enabled: subscription.status === "active",
  });
  const { data: customer } = useQuery(customerQuery(organization, subscription.external_customer_id));
  const zone = customer?.applicable_timezone ?? "UTC";
  if (subscription.status !== "active") return <p className={table.weak}>Usage is shown while it is active.</p>;
  return (
    <section aria-label="This period so far">
      <h2 className={classes.title}>This period so far</h2>
      <Problem error={error} />
      {data && (
        <>
          <p className={table.weak}>
            {showDayIn(data.from_datetime, zone)} to {showDayIn(data.to_datetime, zone)}, in days of {zone}
          </p>
          <table className={`${table.table} ${classes.usage}`}>
            <thead>
              <tr>
                <th scope="col">Charge</th>
                <th scope="col" className={table.amount}>
                  Units
                </th>
                <th scope="col" className={table.amount}>
                  Amount
                </th>
              </tr>
            </thead>
            <tbody>
              {data.charges_usage.map((usage) => (
                <UsageRow key={usage.charge.svc_id} usage={usage} />
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" colSpan={2}>
                  Usage, without taxes
                </th>
                <td className={table.amount}>
                  <Figure minor={data.amount_cents} currency={data.currency} size="total" />
                </td>
              </tr>
            </tfoot>
          </table>
        </>
      )}
    </section>
  );
}

function UsageRow({
  usage: { charge, billable_metric, events_count, units, amount_cents, amount_currency },
}: {
  usage: ChargeUsage;
}) {
  return (
    <tr>
      <td>
        {charge.invoice_display_name || billable_metric.name}
        <span className={classes.events}>
          {quantity(String(events_count))} {events_count === 1 ? "event" : "events"}
        </span>
      </td>
      <td className={table.amount}>{quantity(units)}</td>
      <td className={table.amount}>
        <Figure minor={amount_cents} currency={amount_currency} />
      </td>
    </tr>
  );
}

function NextInvoice({ organization, subscription }: PartProps) {
  const isActive = subscription.status === "active";
  const { data, error } = useQuery({
    ...nextInvoiceQuery(organization, subscription.external_id),
    enabled: isActive,
    retry: false,
  });
  if (!isActive) return null;
  return (
    <section aria-label="Next invoice">
      <h2 className={classes.title}>Next invoice</h2>
      <Problem error={error} />
      {data && <PredictedInvoice invoice={data} />}
    </section>
  );
}
