/** Creates a customer, or changes the details of one. Empty fields are none. */
import { TextInput } from "@mantine/core";
import type { Customer, CustomerUpsert } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { customerQuery } from "./queries.ts";

type Props = { organization: string; customer?: Customer; onClose: () => void };

const FIELDS = [
  { name: "name", label: "Name" },
  { name: "email", label: "Email for invoices", type: "email" },
  { name: "currency", label: "Currency", placeholder: "EUR" },
  { name: "timezone", label: "Time zone", placeholder: "Europe/Amsterdam" },
  { name: "address_line1", label: "Address" },
  { name: "zipcode", label: "Postal code" },
  { name: "city", label: "City" },
  { name: "country", label: "Country", placeholder: "NL" },
  { name: "tax_identification_number", label: "Tax id" },
] as const;

type Values = { external_id: string } & Record<(typeof FIELDS)[number]["name"], string>;

const valuesOf = (customer: Customer | undefined): Values =>
  Object.fromEntries(
    ["external_id", ...FIELDS.map(({ name }) => name)].map((name) => [name, customer?.[name as "name"] ?? ""]),
  ) as Values;

export function CustomerDialog({ organization, customer, onClose }: Props) {
  const [values, setValues] = useState(() => valuesOf(customer));
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: () => apiOf(organization).customers.upsert(bodyOf(values, customer)),
    onSuccess: async (saved) => {
      onClose();
      queryClient.setQueryData(customerQuery(organization, saved.external_id).queryKey, saved);
      await queryClient.invalidateQueries({ queryKey: ["customers", organization] });
      const params = { organization, customer: saved.external_id };
      if (!customer) await navigate({ to: "/o/$organization/customers/$customer", params });
    },
  });
  const field = (name: keyof Values) => ({
    value: values[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      setValues({ ...values, [name]: currentTarget.value }),
  });
  return (
    <Dialog
      title={customer ? "Details" : "New customer"}
      effect={customer ? "Save" : "Create the customer"}
      isPending={save.isPending}
      isDisabled={values.external_id.trim() === ""}
      onClose={onClose}
      onConfirm={() => save.mutate()}
    >
      {!customer && (
        <TextInput
          label="Id"
          description="Yours, for example of your own database. Events and invoices name the customer by it."
          required
          withAsterisk={false}
          data-autofocus
          {...field("external_id")}
        />
      )}
      {FIELDS.map(({ name, ...input }) => (
        <TextInput key={name} {...input} {...field(name)} />
      ))}
      <Problem error={save.error} />
    </Dialog>
  );
}

/** Only what changed: an unknown value of another caller stays as it is. */
function bodyOf(values: Values, customer: Customer | undefined): CustomerUpsert {
  const before = valuesOf(customer);
  const changed = Object.entries(values).filter(([name, value]) => value !== before[name as keyof Values]);
  return {
    ...Object.fromEntries(changed.map(([name, value]) => [name, value.trim() || null])),
    external_id: customer?.external_id ?? values.external_id.trim(),
  };
}
