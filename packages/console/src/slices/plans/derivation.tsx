/** How an amount comes about, step by step. */
import type { Pricing } from "@tallystick/core/catalog";
import { exactText, readExact, roundTo } from "@tallystick/core/money";
import { amountParts, type BucketFee } from "@tallystick/core/rating";
import { partSum, partTitle } from "../../format/amount-parts.ts";
import { exactMoney, money, quantity } from "../../format/money.ts";
import classes from "./simulation.module.css";

type Props = { title: string; fees: readonly BucketFee[]; pricing: Pricing | undefined; currency: string };

/** Enough to see how it goes; a customer can have thousands of groups. */
const GROUPS_SHOWN = 3;
const DECIMALS = 12;

export function Derivation({ title, fees, pricing, currency }: Props) {
  if (fees.length === 0) return null;
  return (
    <section className={classes.derivation} aria-label={`How the amount of ${title} comes about`}>
      <h3>{title}</h3>
      {fees.slice(0, GROUPS_SHOWN).map((fee, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups of usage have no id, and keep their order
        <Steps key={index} fee={fee} pricing={pricing} currency={currency} />
      ))}
      {fees.length > GROUPS_SHOWN && <p className={classes.note}>and {fees.length - GROUPS_SHOWN} more groups</p>}
    </section>
  );
}

const shown = (exact: ReturnType<typeof readExact>, currency: string): string =>
  exactMoney(roundTo(exact, DECIMALS).toFixed(), currency);

function Steps({ fee, pricing, currency }: { fee: BucketFee; pricing: Pricing | undefined; currency: string }) {
  const parts = amountParts(fee.derivation.pricing);
  const exact = readExact(fee.derivation.exact);
  const billed = money(fee.amountMinor, currency);
  const isRounded = shown(exact, currency) !== billed;
  return (
    <ul className={classes.steps}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order of the parts is their identity
        <li key={index}>
          <span>
            {partTitle(part)}
            {partSum(part, currency) && <span className={classes.small}>{partSum(part, currency)}</span>}
          </span>
          <span className="figure">{shown(part.amount, currency)}</span>
        </li>
      ))}
      {parts.length === 0 && pricing?.model === "standard" && (
        <li>
          <span>
            {quantity(exactText(fee.units))} × {exactMoney(exactText(pricing.amount), currency)}
          </span>
          <span className="figure">{shown(exact, currency)}</span>
        </li>
      )}
      {isRounded && (
        <li>
          <span>Rounded once</span>
          <span className="figure">{billed}</span>
        </li>
      )}
    </ul>
  );
}
