/** The metric that an event asks for: what it counts is chosen from the event itself. */
import { NativeSelect, TextInput } from "@mantine/core";
import type { BillableMetricCreate, Event } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";

const KINDS = [
  { value: "count_agg", label: "The number of events" },
  { value: "sum_agg", label: "The sum of a property" },
  { value: "max_agg", label: "The greatest value of a property" },
  { value: "unique_count_agg", label: "How many different values a property has" },
] as const;
type Kind = (typeof KINDS)[number]["value"];

type Props = { event: Event; organization: string; onClose: () => void };

export function MetricDialog({ event: { code, properties }, organization, onClose }: Props) {
  const fields = Object.keys(properties);
  const [name, setName] = useState(code);
  const [kind, setKind] = useState<Kind>(fields.length > 0 ? "sum_agg" : "count_agg");
  const [field, setField] = useState(fields[0] ?? "");
  const queryClient = useQueryClient();
  const metric: BillableMetricCreate = {
    code,
    name,
    aggregation_type: kind,
    ...(kind === "count_agg" ? {} : { field_name: field }),
  };
  const create = useMutation({
    mutationFn: () => apiOf(organization).billableMetrics.create(metric),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ predicate: ({ queryKey: [what] }) => what !== "session" });
    },
  });
  return (
    <Dialog
      title={`Create the metric ${code}`}
      effect="Create it"
      isPending={create.isPending}
      isDisabled={name.trim() === "" || (kind !== "count_agg" && field === "")}
      onClose={onClose}
      onConfirm={() => create.mutate()}
    >
      <TextInput label="Name" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <NativeSelect
        label="What it counts"
        data={[...KINDS]}
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
      />
      {kind !== "count_agg" && (
        <NativeSelect
          label="Property"
          data={fields}
          value={field}
          onChange={({ currentTarget }) => setField(currentTarget.value)}
        />
      )}
      <p>A plan bills it when it has a charge on it.</p>
      <Problem error={create.error} />
    </Dialog>
  );
}
