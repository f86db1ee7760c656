import type { EventCreate } from "@tallystick/client";
import { useRefusal } from "../../../api/permissions.ts";
import { Problem } from "../../../api/problem.tsx";
import { Action } from "../../../ui/action.tsx";
import classes from "../start-page.module.css";
import { AsCode } from "./as-code.tsx";
import { type StepProps, useStep } from "./use-step.ts";

const COUNT = 500;
const BATCH = 100;

export function UsageStep({ organization, progress: { metric, subscription } }: StepProps) {
  const refusal = useRefusal(organization, "event");
  const events = subscription && metric ? eventsOf(subscription, metric) : [];
  const send = useStep(organization, async (api) => {
    for (let at = 0; at < events.length; at += BATCH) await api.events.sendBatch(events.slice(at, at + BATCH));
  });
  return (
    <div className={classes.form}>
      <Problem error={send.error} />
      <Action refusal={refusal} loading={send.isPending} onClick={() => send.mutate()}>
        Send {COUNT} events over a month
      </Action>
      {events[0] && <AsCode path="/events" body={{ event: events[0] }} />}
    </div>
  );
}

/** The same each time, so that sending them again changes nothing. */
function eventsOf(
  {
    external_id,
    started_at,
    subscription_at,
  }: { external_id: string; started_at: string | null; subscription_at: string },
  { code, field_name }: { code: string; field_name: string | null },
): EventCreate[] {
  const from = Temporal.Instant.from(started_at ?? subscription_at);
  return Array.from({ length: COUNT }, (_, index) => ({
    transaction_id: `first-${external_id}-${index}`,
    external_subscription_id: external_id,
    code,
    timestamp: from.add({ minutes: 7 + index * 80 }).toString(),
    properties: field_name ? { [field_name]: propertyOf(field_name, index) } : {},
  }));
}

const propertyOf = (field: string, index: number): string =>
  field === "user_id" ? `user-${index % 12}` : String(40 + ((index * 37) % 160));
