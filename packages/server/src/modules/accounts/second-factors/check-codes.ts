/** Checks what a person types: the code of an app, or a recovery code. Each is taken once. */
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import type { PersonalVault } from "../data-keys/index.ts";
import { tryCode } from "./limit-codes.ts";
import { hashOfCode } from "./recovery-codes.ts";
import { seedOf } from "./seeds.ts";
import { findTotp, takeRecoveryCode, useStep } from "./store.ts";
import { findStep } from "./totp.ts";

export type CodeDeps = {
  dispatcherDb: Database;
  clock: Clock;
  personalVault: PersonalVault;
  onCodeReused: (userId: string) => void;
};

/** Returns what a session then has proved. */
export const checkCode = (deps: CodeDeps, userId: string, code: string): Promise<"totp"> =>
  tryCode(deps, userId, async () => {
    const factor = await findTotp(deps.dispatcherDb, userId);
    if (!factor || factor.confirmed_at === null) return undefined;
    const step = findStep(seedOf(factor, deps.personalVault), code, deps.clock.now());
    if (step === undefined) return undefined;
    if (await useStep(deps.dispatcherDb, userId, step)) return "totp";
    deps.onCodeReused(userId);
    return undefined;
  });

export const checkRecoveryCode = (deps: CodeDeps, userId: string, code: string): Promise<"recovery_code"> =>
  tryCode(deps, userId, async () => {
    const taken = { hash: hashOfCode(code), now: deps.clock.now() };
    return (await takeRecoveryCode(deps.dispatcherDb, userId, taken)) ? "recovery_code" : undefined;
  });
