/** Whose usage a plan is priced with. */
import type { CustomerUsage, Subscription } from "@tallystick/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { showInstantDay } from "../../format/instants.ts";
import type { DraftPlan } from "./draft.ts";
import { SelectField } from "./fields.tsx";
import { median, type Quantities, quantitiesOf } from "./quantities.ts";
import { subscriptionsOfPlanQuery } from "./queries.ts";

type Props = {
  organization: string;
  /** Of the stored plan; undefined for a new one. */
  code: string | undefined;
  draft: DraftPlan;
  onUse: (quantities: Quantities) => void;
};

const OWN = "own";
const TYPICAL = "typical";
/** Of so many customers the middle is taken. */
const SAMPLE = 12;

export function UsageSource({ organization, code, draft, onUse }: Props) {
  const [chosen, setChosen] = useState(OWN);
  const { data } = useQuery({ ...subscriptionsOfPlanQuery(organization, code ?? ""), enabled: code !== undefined });
  const active = data?.items.filter(({ status }) => status === "active") ?? [];
  const load = useMutation({
    mutationFn: async (source: string) => {
      const sampled = source === TYPICAL ? active.slice(0, SAMPLE) : active.filter(({ svc_id }) => svc_id === source);
      return await Promise.all(sampled.map((subscription) => lastUsage(organization, subscription)));
    },
    onSuccess: (usages) => onUse(middleOf(usages.map((usage) => quantitiesOf(draft, usage)))),
  });
  if (active.length === 0) return null;
  const period = load.data?.length === 1 ? load.data[0] : undefined;
  return (
    <>
      <SelectField
        label="Usage of"
        data={[
          { value: OWN, label: "your own numbers" },
          ...(active.length > 1
            ? [{ value: TYPICAL, label: `a typical customer (the middle of ${Math.min(active.length, SAMPLE)})` }]
            : []),
          ...active.map(({ svc_id, name, external_id, external_customer_id }) => ({
            value: svc_id,
            label: `${external_customer_id}, ${name || external_id}`,
          })),
        ]}
        value={chosen}
        description={
          period && chosen !== OWN && chosen !== TYPICAL
            ? `${showInstantDay(period.from_datetime)} to ${showInstantDay(period.to_datetime)}`
            : undefined
        }
        onChange={(value) => {
          setChosen(value);
          if (value !== OWN) load.mutate(value);
        }}
      />
      <Problem error={load.error} />
    </>
  );
}

/** One customer's usage keeps its groups. */
const middleOf = (all: readonly Quantities[]): Quantities => (all.length === 1 && all[0] ? all[0] : median(all));

/** Of the last period that is over; in the first one, so far. */
async function lastUsage(
  organization: string,
  { external_id, external_customer_id }: Subscription,
): Promise<CustomerUsage> {
  const { customers } = apiOf(organization);
  const query = { external_subscription_id: external_id };
  const { items } = await customers.listPastUsage(external_customer_id, { ...query, periods_count: 1 });
  return items[0] ?? (await customers.getCurrentUsage(external_customer_id, query));
}
