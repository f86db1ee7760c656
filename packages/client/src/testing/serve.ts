/** The real service on a port, and clients of it. */
import { expect } from "vitest";
import { startTallystick, type TestService } from "../../../server/src/testing/start-tallystick.ts";
import { Tallystick, type TallystickOptions } from "../index.ts";

export type Served = TestService & {
  url: string;
  /** A client of the first organization. */
  open: (options?: Partial<TallystickOptions>) => Tallystick;
  /** The transaction ids that are stored for a subscription. */
  storedIds: (externalSubscriptionId: string) => Promise<string[]>;
};

export async function serve(): Promise<Served> {
  const service = await startTallystick({ settings: { OUTBOUND_TRUSTED_HOSTS: "127.0.0.1" } });
  const url = await service.app.listen({ host: "127.0.0.1", port: 0 });
  const key = service.organizations[0]?.key ?? "";
  const open: Served["open"] = (options = {}) => new Tallystick({ url, key, ...options });
  const storedIds: Served["storedIds"] = async (external_subscription_id) => {
    const events = await Array.fromAsync(
      open({ largeNumbers: "bigint" }).events.list({ external_subscription_id, per_page: 1000 }),
    );
    expect(new Set(events.map(({ transaction_id: id }) => id)).size).toBe(events.length);
    return events.map(({ transaction_id: id }) => id).sort();
  };
  return { ...service, url, open, storedIds };
}
