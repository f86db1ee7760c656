import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useRefusal } from "../../../api/permissions.ts";
import { Problem } from "../../../api/problem.tsx";
import { Action } from "../../../ui/action.tsx";
import classes from "../start-page.module.css";
import { AsCode } from "./as-code.tsx";
import { type StepProps, useStep } from "./use-step.ts";

/** In a sandbox the customer lives on a clock of its own, at the beginning of a month, so that the month can be over at once. */
const CLOCK_BEGINS = "2026-01-01T00:00:00Z";

export function CustomerStep({ organization, isSandbox, progress: { plan } }: StepProps) {
  const [name, setName] = useState("Acme");
  const refusal = useRefusal(organization, "subscription");
  const externalId = name.trim().toLowerCase().replaceAll(/\W+/g, "-");
  const customer = { external_id: externalId, name: name.trim(), currency: plan?.amount_currency ?? "EUR" };
  const subscription = {
    external_customer_id: externalId,
    external_id: `${externalId}-1`,
    plan_code: plan?.code ?? "",
  };
  const create = useStep(organization, async (api) => {
    const clock = isSandbox
      ? { test_clock_id: (await api.testClocks.create({ name: "First invoice", now: CLOCK_BEGINS })).svc_id }
      : {};
    await api.customers.upsert({ ...customer, ...clock });
    await api.subscriptions.create(subscription);
  });
  return (
    <div className={classes.form}>
      <TextInput
        label="Name of the customer"
        description={isSandbox ? "It gets a test clock at 1 January 2026, so that you can move its time." : undefined}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Problem error={create.error} />
      <Action refusal={refusal} loading={create.isPending} disabled={externalId === ""} onClick={() => create.mutate()}>
        Create, and subscribe to {plan?.name}
      </Action>
      <AsCode path="/subscriptions" body={{ subscription }} />
    </div>
  );
}
