/** Changes of what is sold, and of the customer itself. */
import { type PlanTerms, toApiCharge } from "./catalogue.ts";
import type { Dice } from "./dice.ts";
import { deletePlan as deleteInModel, editPlan as editInModel } from "./model/requests.ts";
import { askAsPredicted, tellModels } from "./prediction.ts";
import type { StepKind } from "./step-kind.ts";
import { allTerms, noteTerms } from "./terms.ts";
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
      ...toApiCharge(charge, world.metricIds, world.setting.currency),
      id: known?.svc_id,
    };
  });
  const apply_to_drafts = dice.isOnceIn(4);
  const body = { plan: { amount_cents: terms.amount, charges, ...(apply_to_drafts ? { apply_to_drafts } : {}) } };
  if (!(await session.ask("PUT", `/plans/${plan.code}`, body))) return;
  world.plans.get(plan.code)?.push({ from: world.now, step: world.step, terms });
  tellModels(world, (model) => editInModel(model, plan.code, terms.amount));
  noteTerms(world);
  if (apply_to_drafts) noteApplied(world, plan.code);
}

/** Drafts that there are now get the new terms, where they are of the plan itself. */
function noteApplied(world: World, code: string): void {
  const lives = world.model.lives.filter(({ plan }) => plan.code === code);
  for (const { svc_id, status } of world.documents.invoices) {
    if (status !== "draft") continue;
    const applied = world.appliedToDrafts.get(svc_id) ?? new Map();
    for (const life of lives) {
      const last = allTerms(world, life).at(-1);
      if (last && !last.isOwn) applied.set(life, last);
      // A draft from before the prices of its own may be of this plan or of its own one.
      if (last?.isOwn) world.unclearDrafts.add(svc_id);
    }
    world.appliedToDrafts.set(svc_id, applied);
  }
}

async function deletePlan(world: World, dice: Dice): Promise<void> {
  const plan = dice.anyOf(plansNow(world));
  if (!plan || !dice.isOnceIn(2)) return;
  await askAsPredicted(world, { method: "DELETE", path: `/plans/${plan.code}` }, (model) =>
    deleteInModel(model, plan.code),
  );
}

async function changeGrace(world: World, dice: Dice): Promise<void> {
  if (world.isDeleted) return;
  const graceDays = dice.oneOf([0, 2, 8]);
  const customer = { external_id: CUSTOMER, billing_configuration: { invoice_grace_period: graceDays } };
  if (await world.session.ask("POST", "/customers", { customer })) world.graceDays = graceDays;
}

export const CATALOG_STEPS: Readonly<Record<string, StepKind>> = {
  editPlan: { weight: 3, take: editPlan },
  deletePlan: { weight: 1, take: deletePlan },
  changeGrace: { weight: 1, take: changeGrace },
};
