/** Which invoices get a second opinion, as configured, and how differences are reported. */
import { recomputeInvoice } from "@tallystick/second-opinion";
import { isSampled, type SecondOpinion } from "../modules/invoicing/index.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import type { Config } from "./config.ts";

type Deps = { log: Log; metrics: Metrics; give: SecondOpinion["give"] | undefined };

export const composeSecondOpinion = (
  { SECOND_OPINION: share }: Config,
  { log, metrics, give = recomputeInvoice }: Deps,
): SecondOpinion => ({
  give,
  isRequested: (invoiceId) => isSampled(invoiceId, share),
  onHeld: (locked) => {
    metrics.invoicesHeld.inc();
    log.error(locked, "an invoice is held: two computations differ; see npm run billing -- held");
  },
  onMissing: (missing) => {
    metrics.secondOpinionsMissing.inc();
    log.warn(missing, "an invoice is finalized without a second opinion, which could not be computed");
  },
});
