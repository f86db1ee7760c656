/** The second factors that a person has. Recovery codes are offered only beside another one. */
import type { Database } from "../../../platform/postgres/database.ts";
import { listPasskeys } from "../passkeys/index.ts";
import { findTotp } from "../second-factors/index.ts";
import type { FactorsOf } from "../sessions/index.ts";

export const createFactorsOf =
  (dispatcherDb: Database): FactorsOf =>
  async (userId) => {
    const totp = await findTotp(dispatcherDb, userId);
    const passkeys = await listPasskeys(dispatcherDb, userId);
    const own = [...(totp?.confirmed_at ? ["totp"] : []), ...(passkeys.length > 0 ? ["passkey"] : [])];
    return own.length > 0 ? [...own, "recovery_code"] : [];
  };
