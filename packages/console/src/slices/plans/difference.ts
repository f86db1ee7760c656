/** Two drafts of a plan compared, as text, member by member. */
import { wholeText } from "../../format/money.ts";
import type { DraftCharge, DraftFilter, DraftPlan, DraftPrice } from "./draft.ts";
import { amountText, hasTiers, INTERVAL_WORDS, MODEL_WORDS, PRICE_FIELDS, priceText, TIMING_WORDS } from "./words.ts";

/** `of`: the plan, or the charge or filter that it is about. */
export type Fact = { readonly key: string; readonly of: string; readonly what: string; readonly text: string };
export type Change = {
  readonly key: string;
  readonly of: string;
  readonly what: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
};

type NameOf = (metricId: string) => string;

export function differenceOf(before: readonly Fact[], after: readonly Fact[]): Change[] {
  const old = new Map(before.map((fact) => [fact.key, fact]));
  const now = new Map(after.map((fact) => [fact.key, fact]));
  const keys = new Set([...now.keys(), ...old.keys()]);
  return [...keys].flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)];
    const fact = is ?? was;
    if (!fact || was?.text === is?.text) return [];
    return [{ key, of: fact.of, what: fact.what, before: was?.text, after: is?.text }];
  });
}

/** What a plan says, one fact a member. Members that say nothing are left out. */
export function factsOf(draft: DraftPlan, nameOf: NameOf): Fact[] {
  const { currency } = draft;
  const plan = (name: string, what: string, text: string): Fact => ({ key: `plan ${name}`, of: "Plan", what, text });
  const facts = [
    plan("name", "Name", draft.name),
    plan("code", "Code", draft.code),
    plan("invoiceName", "Name on invoices", draft.invoiceName),
    plan("description", "Description", draft.description),
    plan("amount", "Base fee", `${amountText(draft.amount, currency)} ${INTERVAL_WORDS[draft.interval].every}`),
    plan("advance", "Base fee is billed", draft.isPaidInAdvance ? "at the start of the period" : "at its end"),
    plan("monthly", "Charges", draft.areChargesMonthly ? "billed each month" : ""),
    plan("trial", "Trial", draft.trialDays && `${draft.trialDays} days`),
    plan("commitment", "Minimum commitment", draft.commitment && amountText(draft.commitment, currency)),
    plan("commitmentName", "Name of the commitment", draft.commitmentName),
    plan("taxes", "Taxes", draft.taxes.join(", ")),
    ...draft.charges.flatMap((charge) => chargeFacts(charge, currency, nameOf)),
  ];
  return facts.filter(({ text }) => text !== "");
}

export const nameOfCharge = ({ name, metricId }: DraftCharge, nameOf: NameOf): string =>
  name || nameOf(metricId) || "New charge";

export const nameOfFilter = ({ name, values }: DraftFilter): string => name || valuesText(values);

const ALL = "__ALL_FILTER_VALUES__";
export const valuesText = (values: DraftFilter["values"]): string =>
  Object.entries(values)
    .map(([key, list]) => `${key}: ${list.includes(ALL) ? "any" : list.join(", ")}`)
    .join("; ");

function chargeFacts(charge: DraftCharge, currency: string, nameOf: NameOf): Fact[] {
  const of = nameOfCharge(charge, nameOf);
  const fact = (name: string, what: string, text: string): Fact => ({ key: `${charge.key} ${name}`, of, what, text });
  return [
    fact("metric", "Metric", nameOf(charge.metricId)),
    fact("name", "Name on invoices", charge.name),
    fact("model", "Model", MODEL_WORDS[charge.model].name),
    fact("timing", "Billed", charge.timing === "arrears" ? "" : TIMING_WORDS[charge.timing].toLowerCase()),
    fact("prorated", "Units", charge.isProrated ? "weighed by days" : ""),
    fact("minimum", "Minimum", charge.minimum && amountText(charge.minimum, currency)),
    fact("taxes", "Taxes", charge.taxes.join(", ")),
    ...priceFacts(charge, charge.price, currency).map(([what, text]) => fact(what, what, text)),
    ...charge.filters.flatMap((filter) =>
      filterFacts(charge, filter, currency).map(([what, text]) => ({
        key: `${charge.key} ${valuesText(filter.values)} ${what}`,
        of: `${of} · ${nameOfFilter(filter)}`,
        what,
        text,
      })),
    ),
  ];
}

const filterFacts = (charge: DraftCharge, { name, values, price }: DraftFilter, currency: string) => [
  ["For", valuesText(values)] as const,
  ["Name on invoices", name] as const,
  ...priceFacts(charge, price, currency),
];

/** What a price says: its fields, or its tiers. */
export function priceFacts(
  { model }: Pick<DraftCharge, "model">,
  price: DraftPrice,
  currency: string,
): (readonly [string, string])[] {
  const grouped = ["Billed separately by", price.groupedBy] as const;
  if (hasTiers(model)) return [...tierFacts(model, price, currency), grouped];
  const fields = PRICE_FIELDS[model].map(({ field, label, kind }) => {
    const text = price[field];
    if (text === "" || (kind === "count" && text === "0")) return [label, ""] as const;
    return [label, kind === "amount" ? priceText(text, currency) : kind === "percent" ? `${text} %` : text] as const;
  });
  return [...fields, grouped];
}

const tierFacts = (
  model: DraftCharge["model"],
  { tiers }: DraftPrice,
  currency: string,
): (readonly [string, string])[] =>
  tiers.map(({ to, each, flat }, index) => {
    const isLast = index === tiers.length - 1;
    const price = model === "graduated_percentage" ? `${each} %` : `${priceText(each, currency)} each`;
    const fixed = Number(flat) === 0 ? "" : `, and ${priceText(flat, currency)}`;
    return [`Tier ${index + 1}`, `${isLast ? "all further" : `to ${wholeText(to)}`}: ${price}${fixed}`] as const;
  });
