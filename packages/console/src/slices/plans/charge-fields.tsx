/** One charge: what it counts, how it is priced and when it is billed. */
import { Button, Checkbox, CloseButton } from "@mantine/core";
import type { BillableMetric, Tax } from "@tallystick/client";
import { CHARGE_MODELS } from "@tallystick/core/catalog";
import { memo } from "react";
import type { DraftCharge } from "./draft.ts";
import classes from "./editor.module.css";
import { DecimalField, SelectField, TextField } from "./fields.tsx";
import { FilterFields, newFilter } from "./filter-fields.tsx";
import { More } from "./more.tsx";
import { GroupField, PriceFields } from "./price-fields.tsx";
import { TaxFields } from "./tax-fields.tsx";
import type { ErrorAt } from "./use-editor.ts";
import { MODEL_WORDS, TIMING_WORDS } from "./words.ts";

type Props = {
  charge: DraftCharge;
  title: string;
  metrics: readonly BillableMetric[];
  taxes: readonly Tax[];
  currency: string;
  isInUse: boolean;
  isSubmitted: boolean;
  isChosen: boolean;
  /** By the path of the member of the charge. */
  errors: Readonly<Record<string, string>>;
  onChange: (charge: DraftCharge) => void;
  onRemove: () => void;
  onChoose: (key: string) => void;
};

/** What is typed in one charge does not draw the others. What happens is the same with the functions of an earlier draft. */
export const ChargeFields = memo(Fields, (before, now) => {
  const { onChange, onRemove, onChoose, errors, ...others } = now;
  const isSame = Object.entries(others).every(([name, value]) => before[name as keyof Props] === value);
  return isSame && JSON.stringify(before.errors) === JSON.stringify(errors);
});

function Fields({ charge, title, metrics, currency, isSubmitted, errors, onChange, ...props }: Props) {
  const errorAt: ErrorAt = (path) => errors[path];
  const { isInUse, isChosen, taxes, onRemove, onChoose } = props;
  const isFixed = isInUse && charge.isStored;
  const metric = metrics.find(({ svc_id }) => svc_id === charge.metricId);
  const set = (change: Partial<DraftCharge>) => onChange({ ...charge, ...change });
  return (
    <section
      className={classes.charge}
      aria-label={title}
      data-chosen={isChosen || undefined}
      onFocus={() => onChoose(charge.key)}
    >
      <div className={classes.chargeHead}>
        <div>
          <h2>{title}</h2> <span className={classes.weak}>{MODEL_WORDS[charge.model].about}</span>
        </div>
        <CloseButton size="sm" aria-label={`Remove ${title}`} onClick={onRemove} />
      </div>
      <div className={classes.fields}>
        <SelectField
          label="Metric"
          disabled={charge.isStored}
          data={[
            { value: "", label: metrics.length > 0 ? "Choose what is counted" : "There is no metric yet" },
            ...metrics.map(({ svc_id, name }) => ({ value: svc_id, label: name })),
          ]}
          value={charge.metricId}
          error={errorAt("billable_metric_id")}
          onChange={(metricId) => set({ metricId, filters: [] })}
          description={metrics.length === 0 ? "Create one first, under Get started" : undefined}
        />
        <SelectField
          label="Model"
          disabled={isFixed}
          data={CHARGE_MODELS.map((value) => ({ value, label: MODEL_WORDS[value].name }))}
          value={charge.model}
          onChange={(model) => set({ model })}
        />
      </div>
      <div className={classes.price}>
        <PriceFields
          model={charge.model}
          price={charge.price}
          currency={currency}
          error={errorAt("properties")}
          isSubmitted={isSubmitted}
          onChange={(price) => set({ price })}
        />
      </div>
      {metric && metric.filters.length > 0 && (
        <Filters
          charge={charge}
          metric={metric}
          currency={currency}
          isSubmitted={isSubmitted}
          errorAt={errorAt}
          set={set}
        />
      )}
      <Details
        charge={charge}
        metric={metric}
        currency={currency}
        isFixed={isFixed}
        errorAt={errorAt}
        set={set}
        taxes={taxes}
      />
    </section>
  );
}

type PartProps = Pick<Props, "charge" | "currency"> & { errorAt: ErrorAt; set: (change: Partial<DraftCharge>) => void };

type FiltersProps = PartProps & { metric: BillableMetric; isSubmitted: boolean };

function Filters({ charge: { filters, model }, metric, currency, isSubmitted, errorAt, set }: FiltersProps) {
  return (
    <div className={classes.filters}>
      {filters.map((filter, index) => (
        <FilterFields
          key={filter.key}
          filter={filter}
          model={model}
          metric={metric}
          currency={currency}
          isSubmitted={isSubmitted}
          errorAt={(path) => errorAt(`filters[${index}].${path}`)}
          onChange={(changed) => set({ filters: filters.with(index, changed) })}
          onRemove={() => set({ filters: filters.toSpliced(index, 1) })}
        />
      ))}
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        onClick={() => set({ filters: [...filters, newFilter(metric)] })}
      >
        Another price for some {metric.filters.map(({ key }) => key).join(" or ")}
      </Button>
    </div>
  );
}

type DetailsProps = PartProps & { metric: BillableMetric | undefined; isFixed: boolean; taxes: readonly Tax[] };

function Details({ charge, metric, currency, isFixed, errorAt, set, taxes }: DetailsProps) {
  const faults = ["pay_in_advance", "prorated", "min_amount_cents", "invoiceable"].map(errorAt).filter(Boolean);
  const isSet = charge.timing !== "arrears" || charge.isProrated || charge.minimum !== "" || charge.taxes.length > 0;
  return (
    <More summary="When it is billed, minimum, name and taxes" isSet={isSet} hasFault={faults.length > 0}>
      <div className={classes.fields}>
        <SelectField
          label="Billed"
          disabled={isFixed}
          data={Object.entries(TIMING_WORDS).map(([value, label]) => ({ value, label }))}
          value={charge.timing}
          error={errorAt("pay_in_advance") ?? errorAt("invoiceable")}
          onChange={(timing) => set({ timing })}
        />
        {charge.timing === "arrears" && (
          <DecimalField
            label={`Minimum, ${currency}`}
            description="The least that the charge costs. Empty: none"
            disabled={isFixed}
            value={charge.minimum}
            error={errorAt("min_amount_cents")}
            onChange={(minimum) => set({ minimum })}
          />
        )}
        <TextField
          label="Name on invoices"
          description="Instead of that of the metric"
          value={charge.name}
          error={errorAt("invoice_display_name")}
          onChange={(name) => set({ name })}
        />
        <GroupField price={charge.price} onChange={(price) => set({ price })} />
      </div>
      {(metric?.recurring || charge.isProrated) && (
        <Checkbox
          size="xs"
          className={classes.check ?? ""}
          label="Weigh units by the days they were in use"
          disabled={isFixed}
          checked={charge.isProrated}
          error={errorAt("prorated")}
          onChange={({ currentTarget }) => set({ isProrated: currentTarget.checked })}
        />
      )}
      <TaxFields taxes={taxes} chosen={charge.taxes} onChange={(codes) => set({ taxes: codes })} />
    </More>
  );
}
