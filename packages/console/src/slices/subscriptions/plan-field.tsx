/** Chooses a plan. */
import { NativeSelect } from "@mantine/core";
import type { Plan } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { Problem } from "../../api/problem.tsx";
import { money } from "../../format/money.ts";
import { plansQuery } from "./queries.ts";

type Props = { organization: string; value: string; without?: string; onChoose: (code: string) => void };

const words = ({ name, amount_cents, amount_currency, interval }: Plan): string =>
  `${name}, ${money(amount_cents, amount_currency)} ${interval}`;

export function PlanField({ organization, value, without, onChoose }: Props) {
  const { data, error } = useQuery(plansQuery(organization));
  if (error) return <Problem error={error} />;
  const plans = (data ?? []).filter(({ code }) => code !== without);
  return (
    <NativeSelect
      label="Plan"
      data={[
        { value: "", label: plans.length > 0 || !data ? "Choose a plan" : "There is no other plan" },
        ...plans.map((plan) => ({ value: plan.code, label: words(plan) })),
      ]}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    />
  );
}
