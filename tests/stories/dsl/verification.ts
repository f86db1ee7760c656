/** After every story, each of its invoices is recomputed from its inputs and must be equal. */
import type { TestService } from "../../../packages/server/src/testing/start-tallystick.ts";
import type { Api } from "./api.ts";

type Listed = { invoices: { svc_id: string; number: string; status: string }[] };
type Verified = { verification: { status: string; differences: object[]; causes: object[] } };

export async function demandSameAgain(api: Api): Promise<void> {
  const { invoices } = await api.ask<Listed>("GET", "/invoices?per_page=100");
  for (const { svc_id, number, status } of invoices) {
    if (status === "draft") continue;
    const { verification } = await api.ask<Verified>("GET", `/invoices/${svc_id}/verification`);
    if (verification.status !== "same")
      throw new Error(`${number} comes out otherwise: ${JSON.stringify(verification.differences.slice(0, 10))}`);
  }
}

type Metrics = TestService["platform"]["metrics"];

/** Stories run concurrently, so the failing story may not be the one at fault. */
export async function demandAgreement({ invoicesHeld, secondOpinionsMissing }: Metrics): Promise<void> {
  for (const counter of [invoicesHeld, secondOpinionsMissing]) {
    const { name, values } = await counter.get();
    if (values.some(({ value }) => value > 0))
      throw new Error(`${name} is above 0: core and the second opinion differ`);
  }
}
