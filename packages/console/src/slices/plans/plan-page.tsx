/** What a plan costs, who has it, and what was changed. */
import { useHotkeys } from "@mantine/hooks";
import type { Plan } from "@tallystick/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { money } from "../../format/money.ts";
import { Action } from "../../ui/action.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import { ChargePrices } from "./charge-prices.tsx";
import { draftOf } from "./draft.ts";
import { DeleteDialog, Simulation, UsageSource } from "./late-parts.tsx";
import { PlanChanges } from "./plan-changes.tsx";
import classes from "./plan-page.module.css";
import { PlanSubscriptions } from "./plan-subscriptions.tsx";
import { firstQuantities, namesOf } from "./quantities.ts";
import { metricsQuery, planQuery } from "./queries.ts";
import { metricsById, readDraft } from "./read-draft.ts";
import { INTERVAL_WORDS } from "./words.ts";

const FROM = "/o/$organization/plans/$plan";

export function PlanPage() {
  const { organization, plan: code } = useParams({ from: FROM });
  const { data: plan } = useSuspenseQuery(planQuery(organization, code));
  const { data: metrics } = useSuspenseQuery(metricsQuery(organization));
  const [isDeleting, setDeleting] = useState(false);
  const refusal = useRefusal(organization, "plan");
  const navigate = useNavigate();
  const edit = () => void navigate({ to: "/o/$organization/plans/$plan/edit", params: { organization, plan: code } });
  const copy = () =>
    void navigate({ to: "/o/$organization/new-plan", params: { organization }, search: { from: code } });
  useHotkeys([["e", () => refusal === undefined && edit()]]);
  const nameOf = useMemo(() => namesOf(metrics), [metrics]);
  const draft = useMemo(() => draftOf(plan), [plan]);
  return (
    <>
      <BackLink to="/o/$organization/plans" params={{ organization }}>
        Plans
      </BackLink>
      <PageTitle title={plan.name} under={<Under plan={plan} />}>
        <Action variant="default" refusal={refusal} onClick={() => setDeleting(true)}>
          Delete
        </Action>
        <Action variant="default" refusal={refusal} onClick={copy}>
          Duplicate
        </Action>
        <Action refusal={refusal} onClick={edit}>
          Edit
        </Action>
      </PageTitle>
      <div className={classes.columns}>
        <div>
          <Section title="Prices">
            <ChargePrices plan={plan} draft={draft} nameOf={nameOf} />
          </Section>
          <Section title="Subscriptions">
            <PlanSubscriptions organization={organization} code={code} />
          </Section>
          <PlanChanges organization={organization} plan={plan} />
        </div>
        <SimulatedPlan key={plan.svc_id} organization={organization} plan={plan} />
      </div>
      {isDeleting && <DeleteDialog organization={organization} plan={plan} onClose={() => setDeleting(false)} />}
    </>
  );
}

function Under({ plan }: { plan: Plan }) {
  return (
    <>
      <span className={classes.code}>{plan.code}</span>
      <span>
        {money(plan.amount_cents, plan.amount_currency)} {INTERVAL_WORDS[plan.interval].every}
      </span>
      <span>
        {plan.active_subscriptions_count.toLocaleString()} active{" "}
        {plan.active_subscriptions_count === 1 ? "subscription" : "subscriptions"}
      </span>
      {plan.description && <span>{plan.description}</span>}
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.section} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function SimulatedPlan({ organization, plan }: { organization: string; plan: Plan }) {
  const { data: metrics } = useSuspenseQuery(metricsQuery(organization));
  const valid = useMemo(() => {
    const draft = draftOf(plan);
    const read = readDraft(draft, metricsById(metrics));
    return read.plan && { plan: read.plan, draft };
  }, [plan, metrics]);
  const nameOf = useMemo(() => namesOf(metrics), [metrics]);
  const [quantities, setQuantities] = useState(() => firstQuantities(draftOf(plan)));
  const [chosen, setChosen] = useState<string>();
  if (!valid) return null;
  return (
    <Simulation
      valid={valid}
      stored={undefined}
      quantities={quantities}
      onChange={setQuantities}
      chosen={chosen}
      onChoose={setChosen}
      nameOf={nameOf}
    >
      <UsageSource organization={organization} code={plan.code} draft={valid.draft} onUse={setQuantities} />
    </Simulation>
  );
}
