/** Prices that hold for this subscription alone, with what they bill. */
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { SubscriptionWithPlan } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { majorText, minorOf } from "../../format/money.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { type Change, ChangePreview, changePreviewQuery } from "./change-preview.tsx";
import { overridesOf, pricedCharges } from "./own-prices.ts";
import classes from "./own-prices-dialog.module.css";
import { useSubscriptionChange } from "./use-subscription-change.ts";

const PAUSE_MS = 400;

type Props = { organization: string; subscription: SubscriptionWithPlan; onClose: () => void };

export function OwnPricesDialog({ organization, subscription, onClose }: Props) {
  const { external_id, status, plan } = subscription;
  const { charges, amount_cents, amount_currency: currency } = plan;
  const before = majorText(amount_cents, currency);
  const [base, setBase] = useState(before);
  /** Of the numbers that differ from the plan. */
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const minor = minorOf(base, currency);
  const overrides = {
    ...(minor === undefined || minor === amount_cents ? {} : { amount_cents: minor }),
    ...(Object.keys(texts).length > 0 ? { charges: overridesOf(charges, texts) } : {}),
  };
  const written = JSON.stringify(overrides);
  const [settled] = useDebouncedValue(written, PAUSE_MS);
  const isPending = status === "pending";
  const change: Change = {
    change: "update",
    subscription: { external_id, plan_overrides: JSON.parse(settled) },
    ...(isPending ? { status } : {}),
  };
  const isChanged = minor !== undefined && settled !== "{}";
  const { data } = useQuery({ ...changePreviewQuery(organization, change), enabled: isChanged });
  const save = useSubscriptionChange(organization, {
    change: ({ subscriptions }) =>
      subscriptions.update(external_id, { plan_overrides: overrides }, isPending ? { status } : {}),
    onDone: onClose,
  });
  const enter = (path: string, text: string, original: string) =>
    setTexts(({ [path]: _, ...others }) => (text === original ? others : { ...others, [path]: text }));
  return (
    <Dialog
      title="Prices of this subscription"
      effect="Save these prices"
      size={560}
      isPending={save.isPending}
      isDisabled={!data || !isChanged || settled !== written}
      onClose={onClose}
      onConfirm={() => save.mutate()}
    >
      <p className={classes.lead}>
        They hold for this subscription alone, also when {plan.name} changes. Usage of a period that is open is billed
        at them as well; fees in advance from the next period on.
      </p>
      <TextInput
        label={`${plan.name}, ${plan.interval}`}
        leftSection={currency}
        leftSectionWidth={54}
        inputMode="decimal"
        value={base}
        error={minor === undefined ? `Write an amount like ${before}.` : undefined}
        onChange={({ currentTarget }) => setBase(currentTarget.value)}
      />
      {pricedCharges(charges).map(({ charge, prices }) => (
        <fieldset key={charge.svc_id} className={classes.charge}>
          <legend>{charge.invoice_display_name ?? charge.billable_metric_code}</legend>
          {prices.map(({ path, label, text }) => (
            <TextInput
              key={path}
              label={label}
              inputMode="decimal"
              value={texts[path] ?? text}
              onChange={({ currentTarget }) => enter(path, currentTarget.value, text)}
            />
          ))}
        </fieldset>
      ))}
      {isChanged && <ChangePreview organization={organization} change={change} />}
      <Problem error={save.error} />
    </Dialog>
  );
}
