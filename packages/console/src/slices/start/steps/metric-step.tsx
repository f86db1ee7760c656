import { NativeSelect } from "@mantine/core";
import type { BillableMetricCreate } from "@tallystick/client";
import { useState } from "react";
import { useRefusal } from "../../../api/permissions.ts";
import { Problem } from "../../../api/problem.tsx";
import { Action } from "../../../ui/action.tsx";
import classes from "../start-page.module.css";
import { AsCode } from "./as-code.tsx";
import { type StepProps, useStep } from "./use-step.ts";

type Template = "tokens" | "api_calls" | "seats" | "storage_gb";
const TEMPLATES: Readonly<Record<Template, BillableMetricCreate>> = {
  tokens: { code: "tokens", name: "Tokens", aggregation_type: "sum_agg", field_name: "tokens" },
  api_calls: { code: "api_calls", name: "API calls", aggregation_type: "count_agg" },
  seats: { code: "seats", name: "Seats", aggregation_type: "unique_count_agg", field_name: "user_id" },
  storage_gb: { code: "storage_gb", name: "Storage, GB", aggregation_type: "max_agg", field_name: "gb" },
};
const WORDS: Readonly<Record<Template, string>> = {
  tokens: "Tokens: the sum of a property",
  api_calls: "API calls: the number of events",
  seats: "Seats: different values of a property",
  storage_gb: "Storage: the greatest value of a property",
};

export function MetricStep({ organization }: StepProps) {
  const [template, setTemplate] = useState<Template>("tokens");
  const metric = TEMPLATES[template];
  const refusal = useRefusal(organization, "billable_metric");
  const create = useStep(organization, (api) => api.billableMetrics.create(metric));
  return (
    <div className={classes.form}>
      <NativeSelect
        label="Begin with"
        data={Object.entries(WORDS).map(([value, label]) => ({ value, label }))}
        value={template}
        onChange={({ currentTarget }) => setTemplate(currentTarget.value as Template)}
      />
      <Problem error={create.error} />
      <Action refusal={refusal} loading={create.isPending} onClick={() => create.mutate()}>
        Create the metric
      </Action>
      <AsCode path="/billable_metrics" body={{ billable_metric: metric }} />
    </div>
  );
}
