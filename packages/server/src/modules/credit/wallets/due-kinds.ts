/** Due work of wallets: expiry and top-ups by interval. */
import type { DueKind } from "../../../jobs/due.ts";
import type { InvoiceDeps } from "../../invoicing/index.ts";
import { endWallet } from "./change-wallet.ts";
import { EXPIRY_DUE } from "./due-names.ts";
import { topUpDueKind } from "./fill-by-interval.ts";
import { findWallet } from "./store.ts";

export const walletDueKinds = (deps: InvoiceDeps): DueKind[] => [expiryDueKind(deps), topUpDueKind(deps)];

/** Runs after earlier work: a waiting invoice of an earlier instant may use the balance until then. */
const expiryDueKind = (deps: InvoiceDeps): DueKind => ({
  kind: EXPIRY_DUE,
  rank: 22,
  settles: false,
  parks: { kind: "wallet", objectOf: async (_, { subjectId: id }) => ({ type: "wallet", id }) },
  run: async (batch, { organizationId, subjectId, customerId, testClockId, dueAt: now }, registry) => {
    const wallet = await findWallet(batch.tx, organizationId, subjectId);
    if (!wallet || customerId === null || wallet.status === "terminated") return;
    const scope = { organizationId, customer: { id: customerId, testClockId }, now, clock: deps.clock };
    await endWallet(batch, scope, wallet, { ...deps, registry });
  },
});
