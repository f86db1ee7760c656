/** A price of its own for events with certain values. */
import { Checkbox, CloseButton } from "@mantine/core";
import type { BillableMetric } from "@tallystick/client";
import { ALL_FILTER_VALUES, type ChargeModel } from "@tallystick/core/catalog";
import { nameOfFilter } from "./difference.ts";
import { type DraftFilter, EMPTY_PRICE, newKey } from "./draft.ts";
import classes from "./editor.module.css";
import { TextField } from "./fields.tsx";
import { PriceFields } from "./price-fields.tsx";
import type { ErrorAt } from "./use-editor.ts";

type Props = {
  filter: DraftFilter;
  model: ChargeModel;
  metric: BillableMetric;
  currency: string;
  isSubmitted: boolean;
  errorAt: ErrorAt;
  onChange: (filter: DraftFilter) => void;
  onRemove: () => void;
};

export function newFilter({ filters }: BillableMetric): DraftFilter {
  const [first] = filters;
  const values = first ? { [first.key]: first.values.slice(0, 1) } : {};
  return { key: newKey(), name: "", values, price: EMPTY_PRICE };
}

export function FilterFields({ filter, model, metric, currency, isSubmitted, errorAt, onChange, onRemove }: Props) {
  const title = nameOfFilter(filter) || "No value chosen";
  const error = errorAt("values");
  return (
    <fieldset className={classes.filter}>
      <legend>{title}</legend>
      <CloseButton size="sm" aria-label={`Remove ${title}`} className={classes.remove ?? ""} onClick={onRemove} />
      {metric.filters.map(({ key, values }) => (
        <Values
          key={key}
          name={key}
          values={values}
          chosen={filter.values[key] ?? []}
          onChange={(chosen) => onChange({ ...filter, values: withValues(filter.values, key, chosen) })}
        />
      ))}
      {error && (
        <p className={classes.fault} role="alert">
          {error}
        </p>
      )}
      <PriceFields
        model={model}
        price={filter.price}
        currency={currency}
        error={errorAt("properties")}
        isSubmitted={isSubmitted}
        onChange={(price) => onChange({ ...filter, price })}
      />
      <TextField
        className={classes.filterName ?? ""}
        label="Name on invoices"
        value={filter.name}
        error={errorAt("invoice_display_name")}
        onChange={(name) => onChange({ ...filter, name })}
      />
    </fieldset>
  );
}

function withValues(values: DraftFilter["values"], key: string, chosen: readonly string[]): DraftFilter["values"] {
  const { [key]: _, ...others } = values;
  return chosen.length > 0 ? { ...others, [key]: chosen } : others;
}

type ValuesProps = {
  name: string;
  values: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
};

function Values({ name, values, chosen, onChange }: ValuesProps) {
  const isAll = chosen.includes(ALL_FILTER_VALUES);
  return (
    <fieldset className={classes.values} aria-label={name}>
      <span className={classes.weak}>{name}</span>
      <Checkbox
        size="xs"
        label="any value"
        checked={isAll}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? [ALL_FILTER_VALUES] : [])}
      />
      {values.map((value) => (
        <Checkbox
          key={value}
          size="xs"
          label={value}
          disabled={isAll}
          checked={!isAll && chosen.includes(value)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
          }
        />
      ))}
    </fieldset>
  );
}
