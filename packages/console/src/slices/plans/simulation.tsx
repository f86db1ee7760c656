/** What a period would cost: by the code that bills it, while the prices are typed. */
import type { PlanDefinition, Price } from "@tallystick/core/catalog";
import { type ReactNode, useMemo } from "react";
import { money, quantity } from "../../format/money.ts";
import { Figure } from "../../ui/figure.tsx";
import { amountAt, curveOf, mostOf, priceAt } from "./curve.ts";
import { Derivation } from "./derivation.tsx";
import { nameOfCharge, nameOfFilter } from "./difference.ts";
import { WholeField } from "./fields.tsx";
import { PriceCurve } from "./price-curve.tsx";
import { type Entered, type Quantities, unitsOf, usedAt, usedOf } from "./quantities.ts";
import { type Simulation as Result, type SimulatedPrice, simulate } from "./simulate.ts";
import classes from "./simulation.module.css";
import type { Valid } from "./use-editor.ts";
import { INTERVAL_WORDS } from "./words.ts";

type Props = {
  valid: Valid;
  /** The plan as it is stored, if it is. */
  stored: Valid | undefined;
  quantities: Quantities;
  onChange: (quantities: Quantities) => void;
  chosen: string | undefined;
  onChoose: (key: string) => void;
  nameOf: (metricId: string) => string;
  children?: ReactNode;
};

type Row = { key: string; name: string; priced: SimulatedPrice; used: readonly Entered[] };

export function Simulation({ valid, stored, quantities, onChange, chosen, onChoose, nameOf, children }: Props) {
  const { plan, draft } = valid;
  const result = useMemo(() => simulate(plan, usedOf(draft, quantities)), [plan, draft, quantities]);
  const before = useMemo(
    () => stored && simulate(stored.plan, usedOf(stored.draft, quantities)).totalMinor,
    [stored, quantities],
  );
  const rows = result.prices.flatMap((priced): Row[] => {
    const charge = draft.charges[priced.charge];
    const filter = priced.filter === null ? undefined : charge?.filters[priced.filter];
    if (!charge) return [];
    const { key } = filter ?? charge;
    const name = nameOfCharge(charge, nameOf);
    return [{ key, name: filter ? `${name} · ${nameOfFilter(filter)}` : name, priced, used: usedAt(quantities, key) }];
  });
  const shown = rows.find(({ key }) => key === chosen) ?? rows[0];
  const set = (key: string, used: Entered) => onChange(new Map(quantities).set(key, [used]));
  const period = plan.areChargesMonthly ? "month of charges" : INTERVAL_WORDS[draft.interval].one;
  return (
    <>
      <section className={classes.simulation} aria-label="Simulation">
        <div className={classes.head}>
          <h2>A {period} would cost</h2>
          {before !== undefined && before !== result.totalMinor && (
            <span className={classes.before}>
              now <Figure minor={before} currency={plan.currency} />
            </span>
          )}
        </div>
        <output className={classes.total} aria-label="Simulated total">
          <Figure minor={result.totalMinor} currency={plan.currency} size="big" />
        </output>
        {shown && <Curve row={shown} plan={plan} stored={stored} />}
        <div className={classes.source}>{children}</div>
        <table className={classes.sums}>
          <Sums result={result} plan={plan} rows={rows} shown={shown} onChoose={onChoose} set={set} />
        </table>
        {shown && (
          <Derivation
            title={shown.name}
            fees={shown.priced.fees}
            pricing={priceAt(plan.charges[shown.priced.charge], shown.priced.filter)?.pricing}
            currency={plan.currency}
          />
        )}
        <p className={classes.note}>Before taxes and coupons, for a whole period.</p>
      </section>
      <div className={classes.bar} aria-hidden="true">
        A {period} would cost <Figure minor={result.totalMinor} currency={plan.currency} size="total" />
      </div>
    </>
  );
}

function Curve({ row, plan, stored }: { row: Row; plan: PlanDefinition; stored: Valid | undefined }) {
  const { key, name, priced, used } = row;
  const price = priceAt(plan.charges[priced.charge], priced.filter);
  const units = unitsOf(used);
  const events = used[0]?.events ?? "1";
  const most = mostAt(row, price);
  const curve = useMemo(() => price && curveOf(price, { most, events }), [price, most, events]);
  const old = stored && priceOf(stored, key);
  const before = useMemo(() => (old ? curveOf(old, { most, events }).points : []), [old, most, events]);
  if (!price || !curve) return null;
  const isSame = JSON.stringify(before) === JSON.stringify(curve.points);
  const at = { units, amount: amountAt(price.pricing, units, events), minor: String(priced.amountMinor) };
  return <PriceCurve curve={curve} before={isSame ? [] : before} at={at} currency={plan.currency} label={name} />;
}

/** The price with that key in another draft of the plan. */
function priceOf({ plan, draft }: Valid, key: string) {
  for (const [index, charge] of draft.charges.entries()) {
    if (charge.key === key) return priceAt(plan.charges[index], null);
    const filter = charge.filters.findIndex((one) => one.key === key);
    if (filter >= 0) return priceAt(plan.charges[index], filter);
  }
  return undefined;
}

/** How far the slider and the curve go. They stay while the slider moves. */
const mostAt = ({ used }: Row, price: Price | undefined): number =>
  Math.max(used[0]?.most ?? mostOf(undefined, unitsOf(used)), mostOf(price, 0));

type SumsProps = {
  result: Result;
  plan: PlanDefinition;
  rows: readonly Row[];
  shown: Row | undefined;
  onChoose: (key: string) => void;
  set: (key: string, used: Entered) => void;
};

function Sums({ result, plan, rows, shown, onChoose, set }: SumsProps) {
  const { currency } = plan;
  return (
    <>
      <tbody>
        <SumRow
          name={
            plan.areChargesMonthly ? `Base fee of ${money(plan.amountMinor, currency)}, billed on its own` : "Base fee"
          }
          minor={result.baseMinor}
          currency={currency}
        />
        {rows.map((row) => (
          <UsageRow
            key={row.key}
            row={row}
            plan={plan}
            isChosen={row.key === shown?.key}
            onChoose={() => onChoose(row.key)}
            onChange={(used) => set(row.key, used)}
          />
        ))}
        {[...result.trueUps].map(([index, minor]) => (
          <SumRow
            key={index}
            name={`Up to the minimum of ${rows.find(({ priced }) => priced.charge === index && priced.filter === null)?.name}`}
            minor={minor}
            currency={currency}
          />
        ))}
        {result.commitmentMinor > 0n && (
          <SumRow name="Up to the minimum commitment" minor={result.commitmentMinor} currency={currency} />
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={2}>
            Total
          </th>
          <td>
            <Figure minor={result.totalMinor} currency={currency} size="total" />
          </td>
        </tr>
      </tfoot>
    </>
  );
}

function SumRow({ name, minor, currency }: { name: string; minor: bigint | null; currency: string }) {
  return (
    <tr>
      <td colSpan={2}>{name}</td>
      <td>{minor === null ? "–" : <Figure minor={minor} currency={currency} />}</td>
    </tr>
  );
}

type UsageRowProps = {
  row: Row;
  plan: PlanDefinition;
  isChosen: boolean;
  onChoose: () => void;
  onChange: (used: Entered) => void;
};

/** The slider is finer where there is little. */
const SLIDER_STEPS = 1000;

function UsageRow({ row, plan, isChosen, onChoose, onChange }: UsageRowProps) {
  const { name, priced, used } = row;
  const price = priceAt(plan.charges[priced.charge], priced.filter);
  const units = unitsOf(used);
  const most = mostAt(row, price);
  const { events } = used[0] ?? { events: "1" };
  const text = used.length === 1 ? (used[0]?.units ?? "0") : String(units);
  const isShare = price?.pricing.model === "percentage";
  return (
    <tr data-chosen={isChosen || undefined} onFocus={onChoose}>
      <td>
        <button type="button" className={classes.pick} aria-pressed={isChosen} onClick={onChoose}>
          {name}
        </button>
        {used.length > 1 && <span className={classes.small}>in {used.length} groups</span>}
      </td>
      <td>
        <input
          type="range"
          className={classes.slider}
          aria-label={`Units of ${name}`}
          aria-valuetext={quantity(text)}
          min={0}
          max={SLIDER_STEPS}
          value={Math.round(SLIDER_STEPS * Math.sqrt(Math.min(units, most) / most))}
          onChange={({ currentTarget }) => {
            const share = (Number(currentTarget.value) / SLIDER_STEPS) ** 2;
            onChange({ units: String(Math.round(most * share)), events, most });
          }}
        />
        <span className={classes.numbers}>
          <WholeField
            variant="unstyled"
            aria-label={`Number of ${name}`}
            value={text}
            onChange={(next) => onChange({ units: next, events })}
          />
          {isShare && (
            <WholeField
              variant="unstyled"
              aria-label={`Events of ${name}`}
              rightSection="events"
              rightSectionWidth={64}
              value={events}
              onChange={(next) => onChange({ units: text, events: next })}
            />
          )}
        </span>
      </td>
      <td>
        <Figure minor={priced.amountMinor} currency={plan.currency} />
      </td>
    </tr>
  );
}
