import { TextInput } from "@mantine/core";
import type { PlanCreate } from "@tallystick/client";
import { useState } from "react";
import { useRefusal } from "../../../api/permissions.ts";
import { Problem } from "../../../api/problem.tsx";
import { minorOf } from "../../../format/money.ts";
import { Action } from "../../../ui/action.tsx";
import classes from "../start-page.module.css";
import { AsCode } from "./as-code.tsx";
import { type StepProps, useStep } from "./use-step.ts";

const CURRENCY = "EUR";

export function PlanStep({ organization, progress: { metric } }: StepProps) {
  const [name, setName] = useState("Pro");
  const [base, setBase] = useState("49.00");
  const [price, setPrice] = useState("0.002");
  const refusal = useRefusal(organization, "plan");
  const amount = minorOf(base, CURRENCY);
  const isPrice = /^\d+(\.\d+)?$/.test(price.trim());
  const plan: PlanCreate = {
    code: name.trim().toLowerCase().replaceAll(/\W+/g, "_"),
    name: name.trim(),
    interval: "monthly",
    amount_cents: amount ?? 0,
    amount_currency: CURRENCY,
    pay_in_advance: false,
    charges: [
      {
        billable_metric_code: metric?.code ?? "",
        charge_model: "standard",
        properties: { amount: price.trim() },
      },
    ],
  };
  const create = useStep(organization, (api) => api.plans.create(plan));
  return (
    <div className={classes.form}>
      <TextInput label="Name of the plan" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <div className={classes.row}>
        <TextInput
          label={`Base fee per month, ${CURRENCY}`}
          inputMode="decimal"
          error={amount === undefined ? "Digits and a point, like 49.00" : undefined}
          value={base}
          onChange={({ currentTarget }) => setBase(currentTarget.value)}
        />
        <TextInput
          label={`Price of a unit of ${metric?.name ?? "usage"}, ${CURRENCY}`}
          inputMode="decimal"
          error={isPrice ? undefined : "Digits and a point, like 0.002"}
          value={price}
          onChange={({ currentTarget }) => setPrice(currentTarget.value)}
        />
      </div>
      <Problem error={create.error} />
      <Action
        refusal={refusal}
        loading={create.isPending}
        disabled={amount === undefined || !isPrice || plan.code === ""}
        onClick={() => create.mutate()}
      >
        Create the plan
      </Action>
      <AsCode path="/plans" body={{ plan }} />
    </div>
  );
}
