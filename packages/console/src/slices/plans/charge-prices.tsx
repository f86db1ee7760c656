/** The prices of a plan as text. */
import type { Plan } from "@tallystick/client";
import { nameOfCharge, nameOfFilter, priceFacts } from "./difference.ts";
import type { DraftCharge, DraftPlan, DraftPrice } from "./draft.ts";
import classes from "./plan-page.module.css";
import { amountText, INTERVAL_WORDS, MODEL_WORDS, TIMING_WORDS } from "./words.ts";

type Props = { plan: Plan; draft: DraftPlan; nameOf: (metricId: string) => string };

export function ChargePrices({ plan, draft, nameOf }: Props) {
  const { currency } = draft;
  const facts = [
    ["Base fee", `${amountText(draft.amount, currency)} ${INTERVAL_WORDS[draft.interval].every}`],
    ["Billed", draft.isPaidInAdvance ? "at the start of the period" : "at the end of the period"],
    ["Charges", draft.areChargesMonthly ? "billed each month" : ""],
    ["Trial", draft.trialDays && `${draft.trialDays} days`],
    ["Minimum commitment", draft.commitment && amountText(draft.commitment, currency)],
    ["Taxes", plan.taxes.map(({ name, rate }) => `${name} ${rate} %`).join(", ")],
  ] as const;
  return (
    <>
      <Facts facts={facts} />
      {draft.charges.map((charge) => (
        <Charge key={charge.key} charge={charge} currency={currency} nameOf={nameOf} />
      ))}
      {draft.charges.length === 0 && <p className={classes.weak}>It has no charges: usage costs nothing.</p>}
    </>
  );
}

function Charge({ charge, currency, nameOf }: { charge: DraftCharge; currency: string; nameOf: Props["nameOf"] }) {
  const details = [
    ["Metric", charge.name ? nameOf(charge.metricId) : ""],
    ["Billed", charge.timing === "arrears" ? "" : TIMING_WORDS[charge.timing]],
    ["Units", charge.isProrated ? "weighed by the days they were in use" : ""],
    ["Minimum", charge.minimum && amountText(charge.minimum, currency)],
    ["Taxes", charge.taxes.join(", ")],
  ] as const;
  return (
    <section className={classes.charge} aria-label={nameOfCharge(charge, nameOf)}>
      <h3>
        {nameOfCharge(charge, nameOf)} <span className={classes.weak}>{MODEL_WORDS[charge.model].about}</span>
      </h3>
      <Price charge={charge} price={charge.price} currency={currency} />
      {charge.filters.map((filter) => (
        <div key={filter.key} className={classes.filter}>
          <h4>{nameOfFilter(filter)}</h4>
          <Price charge={charge} price={filter.price} currency={currency} />
        </div>
      ))}
      <Facts facts={details} />
    </section>
  );
}

const Price = ({ charge, price, currency }: { charge: DraftCharge; price: DraftPrice; currency: string }) => (
  <Facts facts={priceFacts(charge, price, currency)} />
);

function Facts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  const known = facts.filter(([, text]) => text !== "");
  if (known.length === 0) return null;
  return (
    <dl className={classes.facts}>
      {known.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
