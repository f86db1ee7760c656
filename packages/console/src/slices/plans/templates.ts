/** What a new plan can begin with. */
import type { BillableMetric, Plan } from "@tallystick/client";
import {
  type DraftCharge,
  type DraftPlan,
  type DraftPrice,
  draftOf,
  EMPTY_PLAN,
  EMPTY_PRICE,
  newCharge,
  newKey,
} from "./draft.ts";

type Template = {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly plan: Partial<DraftPlan>;
  readonly charges: readonly {
    readonly name: string;
    readonly model: DraftCharge["model"];
    readonly price: Partial<DraftPrice>;
    /** The codes of metrics that it is for. */
    readonly metric: RegExp;
    readonly units: string;
  }[];
};

export const TEMPLATES: readonly Template[] = [
  {
    id: "pay-as-you-go",
    title: "API calls, pay as you go",
    about: "No base fee, and a price for each call.",
    plan: { name: "Pay as you go", code: "pay_as_you_go" },
    charges: [
      { name: "API calls", model: "standard", price: { amount: "0.002" }, metric: /call|request/i, units: "50000" },
    ],
  },
  {
    id: "tiers",
    title: "Tiers with included usage",
    about: "A base fee that includes the first units; further ones get cheaper.",
    plan: { name: "Growth", code: "growth", amount: "99.00", isPaidInAdvance: true },
    charges: [
      {
        name: "Tokens",
        model: "graduated",
        price: {
          tiers: [
            { to: "1000000", each: "0", flat: "0" },
            { to: "10000000", each: "0.000012", flat: "0" },
            { to: "", each: "0.000008", flat: "0" },
          ],
        },
        metric: /token/i,
        units: "8000000",
      },
    ],
  },
  {
    id: "seats",
    title: "Seats",
    about: "A price for each seat, which falls for larger teams.",
    plan: { name: "Team", code: "team" },
    charges: [
      {
        name: "Seats",
        model: "volume",
        price: {
          tiers: [
            { to: "10", each: "12", flat: "0" },
            { to: "50", each: "10", flat: "0" },
            { to: "", each: "8", flat: "0" },
          ],
        },
        metric: /seat|user|member/i,
        units: "18",
      },
    ],
  },
  {
    id: "packages",
    title: "Packages",
    about: "Messages by the thousand; a started package counts.",
    plan: { name: "Messages", code: "messages", amount: "19.00" },
    charges: [
      {
        name: "Messages",
        model: "package",
        price: { amount: "2.50", packageSize: "1000", freeUnits: "1000" },
        metric: /message|email|sms|mail/i,
        units: "12500",
      },
    ],
  },
  {
    id: "percentage",
    title: "A share of payments",
    about: "A percentage of what passes through, and an amount for each payment.",
    plan: { name: "Payments", code: "payments" },
    charges: [
      {
        name: "Payments",
        model: "percentage",
        price: { rate: "1.4", fixedAmount: "0.25" },
        metric: /pay|transfer|volume|transaction/i,
        units: "20000",
      },
    ],
  },
];

/** The plan of a template, with the metrics that its charges are for, if there are any. */
export function draftOfTemplate(id: string | undefined, metrics: readonly BillableMetric[]): DraftPlan {
  const template = TEMPLATES.find((one) => one.id === id);
  if (!template) return EMPTY_PLAN;
  const charges = template.charges.map(({ name, model, price, metric }) => {
    const fitting = metrics.find((one) => metric.test(one.code)) ?? (metrics.length === 1 ? metrics[0] : undefined);
    return { ...newCharge(fitting, model), name, price: { ...EMPTY_PRICE, ...price } };
  });
  return { ...EMPTY_PLAN, ...template.plan, charges };
}

/** The same prices under another code. */
export function copyOf(plan: Plan): DraftPlan {
  const draft = draftOf(plan);
  const charges = draft.charges.map((charge) => ({
    ...charge,
    key: newKey(),
    isStored: false,
    filters: charge.filters.map((filter) => ({ ...filter, key: newKey() })),
  }));
  return { ...draft, name: `${draft.name} copy`, code: `${draft.code}_copy`, charges };
}
