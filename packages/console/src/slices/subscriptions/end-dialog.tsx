/** The end of a subscription, now or after a day, with what it bills and gives back. */
import { NativeSelect, TextInput } from "@mantine/core";
import type { SubscriptionWithPlan } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { customerQuery } from "../customers/index.ts";
import { type Change, ChangePreview, changePreviewQuery } from "./change-preview.tsx";
import { useSubscriptionChange } from "./use-subscription-change.ts";

type Props = { organization: string; subscription: SubscriptionWithPlan; onClose: () => void };
type When = "now" | "day" | "never";

const GIVE_BACK = [
  { value: "credit", label: "Credit unused days for later invoices" },
  { value: "refund", label: "Refund unused days that were paid" },
  { value: "skip", label: "Give nothing back" },
] as const;
const BILL = [
  { value: "generate", label: "Bill what was used until the end" },
  { value: "skip", label: "Do not bill what was used since the last invoice" },
] as const;

const EFFECTS: Readonly<Record<When, string>> = {
  now: "End it now",
  day: "End it then",
  never: "Do not end it",
};

export function EndDialog({ organization, subscription, onClose }: Props) {
  const { external_id, external_customer_id, plan, status } = subscription;
  const [when, setWhen] = useState<When>("now");
  const [lastDay, setLastDay] = useState("");
  const [givesBack, setGivesBack] = useState(subscription.on_termination_credit_note ?? "credit");
  const [bills, setBills] = useState(subscription.on_termination_invoice);
  const { data: customer } = useQuery(customerQuery(organization, external_customer_id));
  const isPending = status === "pending";
  const ends = isPending || when !== "never";
  const choices = {
    ...(plan.pay_in_advance ? { on_termination_credit_note: givesBack } : {}),
    on_termination_invoice: bills,
  };
  const update = {
    ...choices,
    ending_at: when === "day" && lastDay && customer ? endOf(lastDay, customer.applicable_timezone) : null,
  };
  const change: Change = isPending
    ? { change: "end", subscription: { external_id }, status }
    : when === "now"
      ? { change: "end", subscription: { external_id, ...choices } }
      : { change: "update", subscription: { external_id, ...update } };
  const isComplete = when !== "day" || update.ending_at !== null;
  const { data } = useQuery({ ...changePreviewQuery(organization, change), enabled: isComplete });
  const end = useSubscriptionChange(organization, {
    change: ({ subscriptions }) =>
      when === "now"
        ? subscriptions.terminate(external_id, isPending ? { status } : choices)
        : subscriptions.update(external_id, update),
    onDone: onClose,
  });
  return (
    <Dialog
      title={isPending ? "Cancel the subscription?" : "End the subscription?"}
      effect={isPending ? "Cancel it" : EFFECTS[when]}
      size={520}
      isDanger={ends}
      isPending={end.isPending}
      isDisabled={!data || !isComplete}
      onClose={onClose}
      onConfirm={() => end.mutate()}
    >
      {!isPending && (
        <NativeSelect
          label="When"
          data={[
            { value: "now", label: "Now" },
            { value: "day", label: "After a day" },
            ...(subscription.ending_at ? [{ value: "never", label: "Not at all: take the set end back" }] : []),
          ]}
          value={when}
          onChange={({ currentTarget }) => setWhen(currentTarget.value as When)}
        />
      )}
      {when === "day" && (
        <TextInput
          type="date"
          label="Last day"
          description={`Billed as a whole, in days of ${customer?.applicable_timezone ?? "the customer"}.`}
          value={lastDay}
          onChange={({ currentTarget }) => setLastDay(currentTarget.value)}
        />
      )}
      {!isPending && ends && plan.pay_in_advance && (
        <NativeSelect
          label="Days that were paid in advance"
          data={[...GIVE_BACK]}
          value={givesBack}
          onChange={({ currentTarget }) => setGivesBack(currentTarget.value as typeof givesBack)}
        />
      )}
      {!isPending && ends && (
        <NativeSelect
          label="Usage"
          data={[...BILL]}
          value={bills}
          onChange={({ currentTarget }) => setBills(currentTarget.value as typeof bills)}
        />
      )}
      {isComplete && <ChangePreview organization={organization} change={change} />}
      <Problem error={end.error} />
    </Dialog>
  );
}

/** The day of an end is billed as a whole, so that the end is still on it. */
const endOf = (day: string, zone: string): string =>
  Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone, plainTime: "23:59:59.999" }).toInstant().toString();
