/** Which change a preview is about. */
import { invalid, invalidMembers } from "../../http/problem.ts";
import type { Addressed, SubscriptionRequest } from "./change-subscription.ts";
import { toAtEnd, toChangeRequest, toSubscribeRequest } from "./read-request.ts";
import type { ChangeToPreview } from "./schema.ts";
import type { SubscribeRequest } from "./subscribe.ts";

export type SubscriptionChange =
  /** No customer: that of the subscription, which exists. */
  | { type: "subscribe"; externalCustomerId: string | null; request: Omit<SubscribeRequest, "externalCustomerId"> }
  | { type: "update"; addressed: Addressed; request: SubscriptionRequest }
  | { type: "end"; addressed: Addressed; atEnd: SubscriptionRequest["atEnd"] };

type Name = ChangeToPreview["change"];
type Member = keyof ChangeToPreview["subscription"];

const AT_END: readonly Member[] = ["on_termination_credit_note", "on_termination_invoice"];
const OF_PLAN: readonly Member[] = ["external_customer_id", "plan_code", "billing_time"];
const OF_ALL: readonly Member[] = ["name", "subscription_at", "ending_at", "plan_overrides", ...AT_END];

const TAKEN: Readonly<Record<Name, readonly Member[]>> = {
  create: [...OF_PLAN, ...OF_ALL],
  plan: [...OF_PLAN, ...OF_ALL],
  update: OF_ALL,
  end: AT_END,
};
const NEEDED: Readonly<Record<Name, readonly Member[]>> = {
  create: ["external_customer_id", "plan_code"],
  plan: ["plan_code"],
  update: [],
  end: [],
};

export function readPreview({ change, subscription, status = "active" }: ChangeToPreview): SubscriptionChange {
  demandMembers(change, subscription);
  const { external_id: externalId, external_customer_id = null, plan_code = "", ...members } = subscription;
  const addressed = { externalId, status };
  switch (change) {
    case "create":
    case "plan": {
      const options = { ...members, external_id: externalId, plan_code, external_customer_id: "" };
      const { externalCustomerId: _, ...request } = toSubscribeRequest(options);
      return { type: "subscribe", externalCustomerId: external_customer_id, request };
    }
    case "update":
      return { type: "update", addressed, request: toChangeRequest(members) };
    case "end":
      return { type: "end", addressed, atEnd: toAtEnd(members) };
  }
}

function demandMembers(change: Name, subscription: ChangeToPreview["subscription"]): void {
  const isAbsent = (member: Member) => subscription[member] === undefined;
  const missing = NEEDED[change].filter(isAbsent);
  if (missing.length > 0) throw invalid(Object.fromEntries(missing.map((member) => [member, ["value_is_mandatory"]])));
  const taken = TAKEN[change];
  const unknown = (Object.keys(subscription) as Member[]).filter(
    (member) => member !== "external_id" && !isAbsent(member) && !taken.includes(member),
  );
  const message = `The change \`${change}\` takes ${taken.map((member) => `\`${member}\``).join(", ")}.`;
  if (unknown.length > 0) throw invalidMembers(unknown.map((path) => ({ path, code: "unknown_member", message })));
}
