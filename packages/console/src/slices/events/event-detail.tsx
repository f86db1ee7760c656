/** An event: what was sent, what became of it, and the way out if it is not billed. */
import { CloseButton } from "@mantine/core";
import type { Event } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { showSecond } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import { Status } from "../../ui/status.tsx";
import classes from "./events-page.module.css";
import { nearestOf } from "./nearest.ts";
import { feeQuery, metricsQuery } from "./queries.ts";
import { REASONS } from "./reasons.ts";

const MetricDialog = lazy(async () => ({ default: (await import("./metric-dialog.tsx")).MetricDialog }));

type Props = { event: Event; organization: string };

export function EventDetail({ event, organization, onClose }: Props & { onClose: () => void }) {
  const facts: readonly (readonly [string, string | null])[] = [
    ["Transaction", event.transaction_id],
    ["Subscription", event.external_subscription_id],
    ["Dated", showSecond(event.timestamp)],
    ["Received", showSecond(event.created_at)],
    ["Id", event.svc_id],
  ];
  return (
    <section className={classes.detail} aria-label="The chosen event">
      <div className={classes.head}>
        <h2>{event.code}</h2>
        <CloseButton aria-label="Close" onClick={onClose} />
      </div>
      <Status state={event.status} />
      {event.reason && <WayOut event={event} organization={organization} />}
      {event.svc_fee_ids.map((id) => (
        <BilledOn key={id} feeId={id} organization={organization} />
      ))}
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <pre className={classes.code}>{JSON.stringify(event.properties, null, 2)}</pre>
    </section>
  );
}

function WayOut({ event, organization }: Props) {
  const [isCreating, setCreating] = useState(false);
  const refusal = useRefusal(organization, "billable_metric");
  const isUnknown = event.reason === "unknown_code";
  const { data: metrics } = useQuery({ ...metricsQuery(organization), enabled: isUnknown });
  if (!event.reason) return null;
  const { why, remedy } = REASONS[event.reason];
  const codes = metrics?.map(({ code }) => code) ?? [];
  const nearest = isUnknown ? nearestOf(event.code, codes) : undefined;
  return (
    <div className={classes.way}>
      {isUnknown ? (
        <p>
          No metric has the code <strong>{event.code}</strong>
          {nearest ? (
            <>
              : did you mean <strong>{nearest}</strong>?
            </>
          ) : (
            "."
          )}
        </p>
      ) : (
        <p>{why}</p>
      )}
      {remedy && <p>{remedy}</p>}
      {isUnknown && metrics && !codes.includes(event.code) && (
        <Action variant="default" refusal={refusal} onClick={() => setCreating(true)}>
          Create the metric {event.code}
        </Action>
      )}
      <Suspense fallback={null}>
        {isCreating && <MetricDialog event={event} organization={organization} onClose={() => setCreating(false)} />}
      </Suspense>
    </div>
  );
}

function BilledOn({ feeId, organization }: { feeId: string; organization: string }) {
  const { data: fee } = useQuery(feeQuery(organization, feeId));
  if (!fee?.svc_invoice_id) return null;
  return (
    <p>
      <Link
        to="/o/$organization/invoices/$id"
        params={{ organization, id: fee.svc_invoice_id }}
        search={{ line: feeId }}
      >
        The line of the invoice that bills it
      </Link>
    </p>
  );
}
