/** Before a plan is published: what changes, for whom, and from when. */
import { Checkbox } from "@mantine/core";
import type { Plan } from "@tallystick/client";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ChangeTable } from "./change-table.tsx";
import type { Change } from "./difference.ts";
import classes from "./review-dialog.module.css";

type Props = {
  /** As it is stored; undefined for a new one. */
  plan: Plan | undefined;
  changes: readonly Change[];
  isPending: boolean;
  error: unknown;
  onClose: () => void;
  onPublish: (options: { appliesToDrafts: boolean }) => void;
};

export function ReviewDialog({ plan, changes, isPending, error, onClose, onPublish }: Props) {
  const [appliesToDrafts, setApplies] = useState(false);
  return (
    <Dialog
      title={plan ? "Publish these changes?" : "Create this plan?"}
      effect={plan ? "Publish" : "Create the plan"}
      size={620}
      isPending={isPending}
      isDisabled={changes.length === 0}
      onClose={onClose}
      onConfirm={() => onPublish({ appliesToDrafts })}
    >
      {changes.length === 0 ? <p>Nothing has changed.</p> : <ChangeTable changes={changes} isNew={!plan} />}
      {plan && changes.length > 0 && <Effect plan={plan} appliesToDrafts={appliesToDrafts} onChange={setApplies} />}
      <Problem error={error} />
    </Dialog>
  );
}

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

type EffectProps = { plan: Plan; appliesToDrafts: boolean; onChange: (applies: boolean) => void };

function Effect({ plan, appliesToDrafts, onChange }: EffectProps) {
  const { active_subscriptions_count: subscriptions, customers_count: customers, draft_invoices_count: drafts } = plan;
  return (
    <section className={classes.effect} aria-label="Effect">
      <dl>
        <div>
          <dt>Touches</dt>
          <dd>
            {subscriptions === 0
              ? "no active subscription"
              : `${counted(subscriptions, "active subscription", "active subscriptions")} of ${counted(customers, "customer", "customers")}`}
            {drafts > 0 && `, ${counted(drafts, "draft invoice", "draft invoices")}`}
          </dd>
        </div>
        <div>
          <dt>Takes effect</dt>
          <dd>
            now: for periods that end from now on, and for fees in advance of periods that begin from now on. What is
            invoiced stays as it is. Subscriptions with prices of their own keep them.
          </dd>
        </div>
      </dl>
      {subscriptions > 0 && (
        <Checkbox
          size="xs"
          label={
            drafts > 0
              ? `Also reprice ${counted(drafts, "draft", "drafts")} of periods that have ended`
              : "Also reprice periods that have ended and are not invoiced yet"
          }
          checked={appliesToDrafts}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      )}
    </section>
  );
}
