/** What a charge or a filter costs: the fields of its model, or its tiers. */
import { Button, CloseButton } from "@mantine/core";
import { asDecimal, type ChargeModel } from "@tallystick/core/catalog";
import { wholeText } from "../../format/money.ts";
import type { DraftPrice, DraftTier } from "./draft.ts";
import { DecimalField, TextField, WholeField } from "./fields.tsx";
import classes from "./price-fields.module.css";
import { type FieldWords, faultText, hasTiers, PRICE_FIELDS } from "./words.ts";

type Props = {
  model: ChargeModel;
  price: DraftPrice;
  currency: string;
  /** Of the price as a whole. */
  error: string | undefined;
  isSubmitted: boolean;
  onChange: (price: DraftPrice) => void;
};

export function PriceFields({ model, price, currency, error, isSubmitted, onChange }: Props) {
  const errors = PRICE_FIELDS[model].map((field) => fieldError(field, price[field.field], isSubmitted));
  const isInTiers = hasTiers(model);
  return (
    <>
      {isInTiers ? (
        <Tiers model={model} price={price} currency={currency} isSubmitted={isSubmitted} onChange={onChange} />
      ) : (
        <div className={classes.fields}>
          {PRICE_FIELDS[model].map(({ field, label, kind, about }, index) => {
            const Field = kind === "count" ? WholeField : DecimalField;
            return (
              <Field
                key={field}
                label={kind === "amount" ? `${label}, ${currency}` : label}
                description={about}
                error={errors[index]}
                value={price[field]}
                onChange={(text) => onChange({ ...price, [field]: text })}
              />
            );
          })}
        </div>
      )}
      {error && !errors.some(Boolean) && !tierErrors(price.tiers, isSubmitted, isInTiers) && (
        <p className={classes.fault} role="alert">
          {error}
        </p>
      )}
    </>
  );
}

const isOptional = ({ about }: FieldWords): boolean => about !== undefined;

function fieldError(field: FieldWords, text: string, isSubmitted: boolean): string | undefined {
  if (text.trim() === "") return isSubmitted && !isOptional(field) ? faultText("value_is_mandatory") : undefined;
  if (field.kind === "count") return /^\d+$/.test(text.trim()) ? undefined : "A whole number";
  return decimalError(text, isSubmitted);
}

const decimalError = (text: string, isSubmitted: boolean): string | undefined => {
  if (text.trim() === "") return isSubmitted ? faultText("value_is_mandatory") : undefined;
  return asDecimal(text.trim()) ? undefined : faultText("invalid_amount");
};

const tierErrors = (tiers: readonly DraftTier[], isSubmitted: boolean, isInTiers: boolean): boolean =>
  isInTiers && tiers.some(({ each, flat }) => decimalError(each, isSubmitted) ?? decimalError(flat, isSubmitted));

type TierProps = Omit<Props, "error">;

function Tiers({ model, price: { tiers, ...price }, currency, isSubmitted, onChange }: TierProps) {
  const unit = model === "graduated_percentage" ? "Percent" : `Each, ${currency}`;
  const set = (at: number, change: Partial<DraftTier>) =>
    onChange({ ...price, tiers: tiers.map((tier, index) => (index === at ? { ...tier, ...change } : tier)) });
  return (
    <>
      <table className={classes.tiers}>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">{unit}</th>
            <th scope="col">Flat, {currency}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {tiers.map((tier, index) => (
            <TierRow
              // biome-ignore lint/suspicious/noArrayIndexKey: tiers are their order
              key={index}
              tier={tier}
              number={index + 1}
              from={index === 0 ? "0" : startAfter(tiers[index - 1]?.to ?? "")}
              isLast={index === tiers.length - 1}
              isSubmitted={isSubmitted}
              onChange={(change) => set(index, change)}
              onRemove={tiers.length > 1 ? () => onChange({ ...price, tiers: without(tiers, index) }) : undefined}
            />
          ))}
        </tbody>
      </table>
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        onClick={() => onChange({ ...price, tiers: oneMore(tiers) })}
      >
        Add a tier
      </Button>
    </>
  );
}

const startAfter = (end: string): string => (/^\d+$/.test(end) ? wholeText(String(BigInt(end) + 1n)) : "");

const without = (tiers: readonly DraftTier[], at: number): DraftTier[] =>
  tiers.toSpliced(at, 1).map((tier, index, left) => (index === left.length - 1 ? { ...tier, to: "" } : tier));

/** The last tier gets an end, and the new one goes on from there. */
function oneMore(tiers: readonly DraftTier[]): DraftTier[] {
  const before = tiers.at(-2)?.to ?? "";
  const end = /^[1-9]\d*$/.test(before) ? String(BigInt(before) * 10n) : "1000";
  const last = tiers.at(-1) ?? { to: "", each: "", flat: "0" };
  return [...tiers.slice(0, -1), { ...last, to: end }, { ...last, to: "" }];
}

type RowProps = {
  tier: DraftTier;
  number: number;
  from: string;
  isLast: boolean;
  isSubmitted: boolean;
  onChange: (change: Partial<DraftTier>) => void;
  onRemove: (() => void) | undefined;
};

function TierRow({ tier, number, from, isLast, isSubmitted, onChange, onRemove }: RowProps) {
  return (
    <tr>
      <td className={classes.from}>{from}</td>
      <td>
        {isLast ? (
          <span className={classes.from}>and more</span>
        ) : (
          <WholeField
            aria-label={`End of tier ${number}`}
            error={tier.to === "" ? isSubmitted : !/^\d+$/.test(tier.to)}
            value={tier.to}
            onChange={(to) => onChange({ to })}
          />
        )}
      </td>
      <td>
        <DecimalField
          aria-label={`Price of tier ${number}`}
          error={decimalError(tier.each, isSubmitted)}
          value={tier.each}
          onChange={(each) => onChange({ each })}
        />
      </td>
      <td>
        <DecimalField
          aria-label={`Flat amount of tier ${number}`}
          error={decimalError(tier.flat, isSubmitted)}
          value={tier.flat}
          onChange={(flat) => onChange({ flat })}
        />
      </td>
      <td>{onRemove && <CloseButton size="sm" aria-label={`Remove tier ${number}`} onClick={onRemove} />}</td>
    </tr>
  );
}

export const GroupField = ({ price, onChange }: Pick<Props, "price" | "onChange">) => (
  <TextField
    label="Bill separately by"
    description="Event properties, with commas. Empty: all together"
    value={price.groupedBy}
    onChange={(groupedBy) => onChange({ ...price, groupedBy })}
  />
);
