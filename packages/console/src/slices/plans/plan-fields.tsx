/** What a plan has beside its charges. */
import { Checkbox } from "@mantine/core";
import type { Tax } from "@tallystick/client";
import { type DraftPlan, INTERVALS } from "./draft.ts";
import classes from "./editor.module.css";
import { DecimalField, SelectField, TextField } from "./fields.tsx";
import { More } from "./more.tsx";
import { TaxFields } from "./tax-fields.tsx";
import type { ErrorAt } from "./use-editor.ts";
import { INTERVAL_WORDS } from "./words.ts";

type Props = {
  draft: DraftPlan;
  taxes: readonly Tax[];
  /** Members that bills of subscriptions depend on stay as they are. */
  isInUse: boolean;
  errorAt: ErrorAt;
  onChange: (change: Partial<DraftPlan>) => void;
};

export function PlanFields({ draft, taxes, isInUse, errorAt, onChange }: Props) {
  const text = (name: keyof DraftPlan, path: string) => ({
    value: draft[name] as string,
    error: errorAt(path),
    onChange: (value: string) => onChange({ [name]: value }),
  });
  const isLong = draft.interval === "yearly" || draft.interval === "semiannual";
  return (
    <section aria-label="The plan">
      <div className={classes.fields}>
        <TextField label="Name" {...text("name", "name")} onChange={(name) => onChange(named(draft, name, isInUse))} />
        <TextField label="Code" disabled={isInUse} {...text("code", "code")} />
        <DecimalField label={`Base fee, ${draft.currency}`} {...text("amount", "amount_cents")} />
        <SelectField
          label="Billed"
          disabled={isInUse}
          data={INTERVALS.map((value) => ({ value, label: INTERVAL_WORDS[value].every }))}
          value={draft.interval}
          onChange={(interval) => onChange({ interval })}
        />
        <TextField
          label="Currency"
          disabled={isInUse}
          {...text("currency", "amount_currency")}
          onChange={(currency) => onChange({ currency: currency.trim().toUpperCase() })}
        />
        <SelectField
          label="Base fee is billed"
          disabled={isInUse}
          data={[
            { value: "end", label: "at the end of the period" },
            { value: "start", label: "at the start of the period" },
          ]}
          value={draft.isPaidInAdvance ? "start" : "end"}
          onChange={(when) => onChange({ isPaidInAdvance: when === "start" })}
        />
      </div>
      {isLong && (
        <Checkbox
          size="xs"
          className={classes.check ?? ""}
          label="Bill the charges each month"
          disabled={isInUse}
          checked={draft.areChargesMonthly}
          onChange={({ currentTarget }) => onChange({ areChargesMonthly: currentTarget.checked })}
        />
      )}
      {isInUse && (
        <p className={classes.weak}>
          The plan has had subscriptions, whose bills depend on its code, interval, currency and time of billing. To
          change those, duplicate the plan.
        </p>
      )}
      <More
        summary="Minimum commitment, trial, taxes and names"
        isSet={Boolean(draft.commitment || draft.trialDays || draft.taxes.length > 0)}
        hasFault={Boolean(errorAt("trial_period") ?? errorAt("minimum_commitment.amount_cents"))}
      >
        <div className={classes.fields}>
          <DecimalField
            label={`Minimum commitment, ${draft.currency}`}
            description="The least that a period costs. Empty: none"
            {...text("commitment", "minimum_commitment.amount_cents")}
          />
          {draft.commitment !== "" && (
            <TextField
              label="Name of the commitment"
              description="On invoices"
              {...text("commitmentName", "minimum_commitment.invoice_display_name")}
            />
          )}
          <DecimalField
            label="Trial, days"
            description="Without a base fee. Empty: none"
            disabled={isInUse}
            {...text("trialDays", "trial_period")}
          />
          <TextField
            label="Name on invoices"
            description="Instead of the name"
            {...text("invoiceName", "invoice_display_name")}
          />
          <TextField label="Description" description="For yourselves" {...text("description", "description")} />
        </div>
        <TaxFields taxes={taxes} chosen={draft.taxes} onChange={(codes) => onChange({ taxes: codes })} />
      </More>
    </section>
  );
}

const codeOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_");

/** The code follows the name until someone gives it another one. */
const named = (draft: DraftPlan, name: string, isInUse: boolean): Partial<DraftPlan> =>
  !isInUse && draft.code === codeOf(draft.name) ? { name, code: codeOf(name) } : { name };
