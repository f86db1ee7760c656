/** The app of a person, which knows the seed and the time. */
import { codeOf, stepAt } from "../modules/accounts/second-factors/totp.ts";

/** `steps`: how many times 30 seconds its clock is off. */
export const codeAt = (secret: string, now: Temporal.Instant, steps = 0): string => codeOf(secret, stepAt(now) + steps);
