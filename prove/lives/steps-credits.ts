/** What happens to wallets and coupons. */
import { isoOf } from "./days.ts";
import type { Dice } from "./dice.ts";
import type { StepKind } from "./step-kind.ts";
import { CUSTOMER, type World } from "./world.ts";

const WALLETS_AT_ONCE = 3;
const DAY = 86_400;

const activeWallets = ({ documents }: World) => documents.wallets.filter(({ status }) => status === "active");

function drawRule(dice: Dice) {
  const method = dice.oneOf([
    { method: "fixed", paid_credits: String(dice.between(5, 40)), granted_credits: String(dice.below(10)) },
    { method: "target", target_ongoing_balance: "60" },
  ]);
  const trigger = dice.oneOf([
    { trigger: "interval", interval: dice.oneOf(["weekly", "monthly"]) },
    { trigger: "threshold", threshold_credits: "10" },
  ]);
  return { ...trigger, ...method };
}

async function openWallet(world: World, dice: Dice): Promise<void> {
  if (world.isDeleted || activeWallets(world).length >= WALLETS_AT_ONCE) return;
  const wallet = {
    external_customer_id: CUSTOMER,
    currency: world.setting.currency.code,
    rate_amount: dice.oneOf(["1", "1", "2", "0.333"]),
    priority: dice.between(1, 3),
    ...(dice.isOnceIn(2) ? { granted_credits: String(dice.between(1, 100)) } : {}),
    ...(dice.isOnceIn(2) ? { paid_credits: String(dice.between(1, 100)) } : {}),
    ...(dice.isOnceIn(5) ? { expiration_at: isoOf(world.now + dice.between(1, 60) * DAY) } : {}),
    ...(dice.isOnceIn(5) ? { recurring_transaction_rules: [drawRule(dice)] } : {}),
  };
  await world.session.ask("POST", "/wallets", { wallet });
}

const topUp =
  (member: string): StepKind["take"] =>
  async (world, dice) => {
    const wallet = dice.anyOf(dice.isOnceIn(6) ? world.documents.wallets : activeWallets(world));
    if (!wallet) return;
    const credits = dice.isOnceIn(4) ? `${dice.below(50)}.${dice.between(1, 99)}` : String(dice.between(1, 80));
    const body = { wallet_transaction: { wallet_id: wallet.svc_id, [member]: credits } };
    await world.session.ask("POST", "/wallet_transactions", body);
  };

async function endWallet(world: World, dice: Dice): Promise<void> {
  const wallet = dice.anyOf(activeWallets(world));
  if (wallet) await world.session.ask("DELETE", `/wallets/${wallet.svc_id}`);
}

async function expireWallet(world: World, dice: Dice): Promise<void> {
  const wallet = dice.anyOf(activeWallets(world));
  const expiration_at = dice.isOnceIn(4) ? null : isoOf(world.now + dice.between(1, 20 * DAY));
  if (wallet) await world.session.ask("PUT", `/wallets/${wallet.svc_id}`, { wallet: { expiration_at } });
}

async function applyCoupon(world: World, dice: Dice): Promise<void> {
  const { code } = dice.oneOf(world.setting.coupons);
  if (!world.isDeleted)
    await world.session.ask("POST", "/applied_coupons", {
      applied_coupon: { external_customer_id: CUSTOMER, coupon_code: code },
    });
}

async function endCoupon(world: World, dice: Dice): Promise<void> {
  const coupon = dice.anyOf(world.documents.coupons);
  if (coupon) await world.session.ask("DELETE", `/customers/${CUSTOMER}/applied_coupons/${coupon.svc_id}`);
}

async function deleteCoupon(world: World, dice: Dice): Promise<void> {
  const { code } = dice.oneOf(world.setting.coupons);
  await world.session.ask("DELETE", `/coupons/${code}`);
}

export const CREDIT_STEPS: Readonly<Record<string, StepKind>> = {
  openWallet: { weight: 5, take: openWallet },
  grant: { weight: 3, take: topUp("granted_credits") },
  buy: { weight: 5, take: topUp("paid_credits") },
  voidCredits: { weight: 3, take: topUp("voided_credits") },
  endWallet: { weight: 2, take: endWallet },
  expireWallet: { weight: 2, take: expireWallet },
  applyCoupon: { weight: 5, take: applyCoupon },
  endCoupon: { weight: 1, take: endCoupon },
  deleteCoupon: { weight: 1, take: deleteCoupon },
};
