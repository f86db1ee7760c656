/** What happens to wallets by themselves: they expire, and fill themselves. */
import type { DueKind } from "../../../jobs/due.ts";
import type { InvoiceDeps } from "../../invoicing/index.ts";
import { endWallet } from "./change-wallet.ts";
import { EXPIRY_DUE } from "./due-names.ts";
import { topUpDueKind } from "./fill-by-interval.ts";
import { findWallet } from "./store.ts";

export const walletDueKinds = (deps: InvoiceDeps): DueKind[] => [expiryDueKind(deps), topUpDueKind(deps)];

/** It does not overtake: an invoice of an earlier instant that still waits may use what is there until then. */
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
