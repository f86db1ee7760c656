/** A customer joins a clock; a clock ends with its customers. */
import { TextInput } from "@mantine/core";
import type { TestClock } from "@tallystick/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { clockCustomersQuery } from "./queries.ts";

type Props = { organization: string; clock: TestClock; onClose: () => void };

export function AddCustomerDialog({ organization, clock, onClose }: Props) {
  const [id, setId] = useState("");
  const [name, setName] = useState("");
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () =>
      apiOf(organization).customers.upsert({
        external_id: id.trim(),
        ...(name.trim() ? { name: name.trim() } : {}),
        test_clock_id: clock.svc_id,
      }),
    onSuccess: async ({ external_id: customer }) => {
      await queryClient.invalidateQueries({ queryKey: ["customers", organization] });
      await navigate({ to: "/o/$organization/customers/$customer", params: { organization, customer } });
    },
  });
  return (
    <Dialog
      title="New customer on this clock"
      effect="Create the customer"
      isPending={create.isPending}
      isDisabled={id.trim() === ""}
      onClose={onClose}
      onConfirm={() => create.mutate()}
    >
      <TextInput
        label="Id"
        description="Yours. Events and invoices name the customer by it."
        required
        withAsterisk={false}
        data-autofocus
        value={id}
        onChange={({ currentTarget }) => setId(currentTarget.value)}
      />
      <TextInput label="Name" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <p>Then subscribe it to a plan, and move the clock.</p>
      <Problem error={create.error} />
    </Dialog>
  );
}

export function DeleteClockDialog({ organization, clock, onDeleted, onClose }: Props & { onDeleted: () => void }) {
  const queryClient = useQueryClient();
  const { data: all } = useQuery(clockCustomersQuery(organization));
  const count = all?.filter(({ test_clock_id }) => test_clock_id === clock.svc_id).length ?? 0;
  const remove = useMutation({
    mutationFn: () => apiOf(organization).testClocks.delete(clock.svc_id),
    onSuccess: async () => {
      onDeleted();
      queryClient.removeQueries({ queryKey: ["test-clocks", organization, clock.svc_id] });
      await queryClient.invalidateQueries({
        predicate: ({ queryKey: [kind, , part] }) => kind !== "session" && part !== clock.svc_id,
      });
    },
  });
  return (
    <Dialog
      title="Delete the clock?"
      effect={count === 0 ? "Delete it" : `Delete it and ${count} ${count === 1 ? "customer" : "customers"}`}
      isDanger
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>Its customers are deleted with it, and their subscriptions end. Their invoices stay.</p>
      <Problem error={remove.error} />
    </Dialog>
  );
}
