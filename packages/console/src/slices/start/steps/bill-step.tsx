import { useRefusal } from "../../../api/permissions.ts";
import { Problem } from "../../../api/problem.tsx";
import { showDay } from "../../../format/instants.ts";
import { Action } from "../../../ui/action.tsx";
import classes from "../start-page.module.css";
import { AsCode } from "./as-code.tsx";
import { type StepProps, useStep } from "./use-step.ts";

export function BillStep({ organization, isSandbox, progress: { subscription } }: StepProps) {
  const refusal = useRefusal(organization, "test_clock");
  const end = subscription?.current_billing_period_ending_at;
  // Billing happens at the first second after the period.
  const target = end ? Temporal.Instant.from(end).add({ hours: 1 }).toString() : undefined;
  const move = useStep(organization, async (api) => {
    const { test_clock_id: clock } = await api.customers.get(subscription?.external_customer_id ?? "");
    if (clock && target) await api.testClocks.advance(clock, { now: target });
  });
  if (!isSandbox || !target)
    return (
      <p className={classes.form}>
        {end ? `It comes by itself on ${showDay(end.slice(0, 10))}.` : "It comes by itself when the period ends."} Its
        subscription shows what it will be.
      </p>
    );
  return (
    <div className={classes.form}>
      <Problem error={move.error} />
      <Action refusal={refusal} loading={move.isPending} onClick={() => move.mutate()}>
        Move the clock to the end of the month
      </Action>
      <AsCode path="/test_clocks/CLOCK_ID/advance" body={{ test_clock: { now: target } }} />
    </div>
  );
}
