/** Changes of what is sold, and of the customer itself. */
import { inUnits, type PlanTerms, toApiCharge } from "./catalogue.ts";
import type { Dice } from "./dice.ts";
import type { StepKind } from "./step-kind.ts";
import { SWITCHES } from "./switches.ts";
import { CUSTOMER, plansNow, type World } from "./world.ts";

type ApiPlan = { plan: { charges: { svc_id: string; billable_metric_code: string }[] } };

/** Another amount, other prices, or both. */
async function editPlan(world: World, dice: Dice): Promise<void> {
  const plan = dice.anyOf(plansNow(world));
  if (!plan) return;
  const isRepriced = dice.isOnceIn(2);
  const terms: PlanTerms = {
    ...plan,
    amount: dice.isOnceIn(2) ? plan.amount : plan.amount + dice.between(-150, 400),
    charges: plan.charges.map((charge) => ({
      ...charge,
      price: isRepriced ? dice.oneOf(["200", "500"]) : charge.price,
    })),
  };
  if (terms.amount < 0) return;
  const { session } = world;
  const { plan: shown } = await session.must<ApiPlan>("GET", `/plans/${plan.code}`);
  const charges = terms.charges.map((charge) => {
    const known = shown.charges.find(({ billable_metric_code: code }) => code === charge.metric);
    return {
      ...toApiCharge(charge, world.metricIds),
      id: known?.svc_id,
      properties: { amount: inUnits(charge.price) },
    };
  });
  const answer = await session.ask("PUT", `/plans/${plan.code}`, { plan: { amount_cents: terms.amount, charges } });
  if (answer) world.plans.get(plan.code)?.push({ from: world.now, step: world.step, terms });
}

async function deletePlan(world: World, dice: Dice): Promise<void> {
  const plan = dice.anyOf(plansNow(world));
  if (!plan || !dice.isOnceIn(2)) return;
  const answer = await world.session.ask("DELETE", `/plans/${plan.code}`);
  if (answer) world.deletedPlans.add(plan.code);
}

async function changeGrace(world: World, dice: Dice): Promise<void> {
  if (world.isDeleted) return;
  const graceDays = dice.oneOf([0, 2, 8]);
  const customer = { external_id: CUSTOMER, billing_configuration: { invoice_grace_period: graceDays } };
  if (await world.session.ask("POST", "/customers", { customer })) world.graceDays = graceDays;
}

async function deleteCustomer(world: World, dice: Dice): Promise<void> {
  if (world.isDeleted || !SWITCHES.deleteInTheMiddle || !dice.isOnceIn(3)) return;
  if (await world.session.ask("DELETE", `/customers/${CUSTOMER}`)) world.isDeleted = true;
}

export const CATALOGUE_STEPS: Readonly<Record<string, StepKind>> = {
  editPlan: { weight: 3, take: editPlan },
  deletePlan: { weight: 1, take: deletePlan },
  changeGrace: { weight: 1, take: changeGrace },
  deleteCustomer: { weight: 1, take: deleteCustomer },
};
