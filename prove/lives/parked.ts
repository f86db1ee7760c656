/** What waits for an operator: what is beyond a limit, each by itself, and nothing else but the refund of a fee that was paid. */
import { isDeepStrictEqual } from "node:util";
import { demand } from "./demand.ts";
import type { Session } from "./session.ts";
import type { World } from "./world.ts";

export type Parked = {
  readonly kind: string;
  readonly object: { readonly svc_id: string; readonly external_id: string | null };
  readonly reason: string;
};

export const readParked = async (session: Session): Promise<Parked[]> =>
  (await session.must<{ parked_items: Parked[] }>("GET", "/parked_items?per_page=1000")).parked_items;

export function checkParked({ tooLarge }: World, parked: readonly Parked[]): void {
  const expected = tooLarge.filter(({ limit }) => limit === "amount").map(({ transactionId }) => transactionId);
  const found = parked.filter(({ kind }) => kind !== "fee_refund").map(({ object }) => object.external_id);
  demand("parked", isDeepStrictEqual(found.toSorted(), expected.toSorted()), () => ({ parked, requested: expected }));
}
