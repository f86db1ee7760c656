/** A plan is written and priced at the same time, and published after a review. */
import { Button } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import type { BillableMetric, Plan, Tax } from "@tallystick/client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { Action } from "../../ui/action.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import { ChargeFields } from "./charge-fields.tsx";
import { differenceOf, factsOf, nameOfCharge } from "./difference.ts";
import { type DraftCharge, type DraftPlan, draftOf, newCharge } from "./draft.ts";
import classes from "./editor.module.css";
import { ChangedMeanwhile, ReviewDialog, Simulation, UsageSource } from "./late-parts.tsx";
import { mergeDrafts } from "./merge.ts";
import { PlanFields } from "./plan-fields.tsx";
import { firstQuantities, namesOf } from "./quantities.ts";
import { metricsQuery, planQuery, subscriptionsOfPlanQuery, taxesQuery } from "./queries.ts";
import { metricsById, readDraft } from "./read-draft.ts";
import { copyOf, draftOfTemplate } from "./templates.ts";
import { useEditor } from "./use-editor.ts";
import { usePublish } from "./use-publish.ts";

export function NewPlanPage() {
  const { organization } = useParams({ from: "/o/$organization/new-plan" });
  const { template, from } = useSearch({ from: "/o/$organization/new-plan" });
  const { data: metrics } = useSuspenseQuery(metricsQuery(organization));
  const { data: taxes } = useSuspenseQuery(taxesQuery(organization));
  const { data: source } = useQuery({ ...planQuery(organization, from ?? ""), enabled: from !== undefined });
  if (from !== undefined && !source) return null;
  const draft = source ? copyOf(source) : draftOfTemplate(template, metrics);
  return <Editor organization={organization} initial={draft} metrics={metrics} taxes={taxes} />;
}

export function EditPlanPage() {
  const { organization, plan: code } = useParams({ from: "/o/$organization/plans/$plan/edit" });
  const { data: metrics } = useSuspenseQuery(metricsQuery(organization));
  const { data: taxes } = useSuspenseQuery(taxesQuery(organization));
  const { data: plan } = useSuspenseQuery(planQuery(organization, code));
  // What someone else publishes meanwhile does not change the fields: who publishes second is notified.
  const [opened] = useState(plan);
  return (
    <Editor organization={organization} opened={opened} initial={draftOf(opened)} metrics={metrics} taxes={taxes} />
  );
}

type Props = {
  organization: string;
  opened?: Plan;
  initial: DraftPlan;
  metrics: readonly BillableMetric[];
  taxes: readonly Tax[];
};

function Editor({ organization, opened, initial, metrics, taxes }: Props) {
  const [base, setBase] = useState(opened);
  const editor = useEditor(initial, metrics);
  const { draft, set, errorAt, isSubmitted } = editor;
  const nameOf = useMemo(() => namesOf(metrics), [metrics]);
  const stored = useMemo(() => base && validOf(base, metrics), [base, metrics]);
  const [quantities, setQuantities] = useState(() => firstQuantities(initial));
  const [chosen, setChosen] = useState<string>();
  const [isReviewed, setReviewed] = useState(false);
  const refusal = useRefusal(organization, "plan");
  const isInUse = useIsInUse(organization, opened?.code);
  const publish = usePublish(organization, { base, onRefused: editor.setRefused, onDone: () => setReviewed(false) });
  const facts = useMemo(() => (base ? factsOf(draftOf(base), nameOf) : []), [base, nameOf]);
  const changes = differenceOf(facts, factsOf(draft, nameOf));
  const toFault = useFirstFault(editor.submit);
  const review = () => (Object.keys(editor.faults).length > 0 ? toFault() : setReviewed(true));
  useHotkeys([["mod+Enter", () => refusal === undefined && review()]], []);
  return (
    <>
      <Up organization={organization} plan={opened} />
      <PageTitle title={draft.name.trim() || "New plan"} under={<Under isNew={!opened} count={changes.length} />}>
        {opened && (
          <Button variant="default" disabled={changes.length === 0} onClick={() => set(draftOf(base ?? opened))}>
            Discard
          </Button>
        )}
        <Action refusal={refusal} onClick={review}>
          {opened ? "Review and publish" : "Review and create"}
        </Action>
      </PageTitle>
      <div className={classes.columns}>
        <div>
          <PlanFields
            draft={draft}
            taxes={taxes}
            isInUse={isInUse}
            errorAt={errorAt}
            onChange={(change) => set((now) => ({ ...now, ...change }))}
          />
          {draft.charges.map((charge, index) => (
            <ChargeFields
              key={charge.key}
              charge={charge}
              title={nameOfCharge(charge, nameOf)}
              metrics={metrics}
              taxes={taxes}
              currency={draft.currency}
              isInUse={isInUse}
              isSubmitted={isSubmitted}
              isChosen={charge.key === chosen}
              errors={editor.errorsIn(`charges[${index}].`)}
              onChange={(changed) => set((now) => withCharge(now, changed))}
              onRemove={() => set((now) => ({ ...now, charges: now.charges.filter(({ key }) => key !== charge.key) }))}
              onChoose={setChosen}
            />
          ))}
          <div className={classes.add}>
            <Button
              variant="default"
              onClick={() => set((now) => ({ ...now, charges: [...now.charges, newCharge(metrics[0])] }))}
            >
              Add a charge
            </Button>
          </div>
        </div>
        {editor.valid && (
          <Simulation
            valid={editor.valid}
            stored={stored}
            quantities={quantities}
            onChange={setQuantities}
            chosen={chosen}
            onChoose={setChosen}
            nameOf={nameOf}
          >
            <UsageSource organization={organization} code={opened?.code} draft={draft} onUse={setQuantities} />
          </Simulation>
        )}
      </div>
      {isReviewed && !publish.theirs && (
        <ReviewDialog
          plan={base}
          changes={changes}
          isPending={publish.isPending}
          error={publish.error}
          onClose={() => setReviewed(false)}
          onPublish={(options) => publish.send(draft, options)}
        />
      )}
      {base && publish.theirs && (
        <ChangedMeanwhile
          theirs={differenceOf(factsOf(draftOf(base), nameOf), factsOf(draftOf(publish.theirs), nameOf))}
          mine={changes}
          onClose={() => publish.forget()}
          onMerge={() => {
            const { theirs } = publish;
            if (!theirs) return;
            set((now) => mergeDrafts(draftOf(base), now, draftOf(theirs)));
            setBase(theirs);
            publish.forget();
          }}
        />
      )}
    </>
  );
}

const withCharge = (draft: DraftPlan, changed: DraftCharge): DraftPlan => ({
  ...draft,
  charges: draft.charges.map((charge) => (charge.key === changed.key ? changed : charge)),
});

function validOf(plan: Plan, metrics: readonly BillableMetric[]) {
  const draft = draftOf(plan);
  const read = readDraft(draft, metricsById(metrics));
  return read.plan && { plan: read.plan, draft };
}

/** Whoever has had a subscription to it: the service refuses some changes from then on. */
function useIsInUse(organization: string, code: string | undefined): boolean {
  const { data } = useQuery({ ...subscriptionsOfPlanQuery(organization, code ?? ""), enabled: code !== undefined });
  return (data?.items.length ?? 0) > 0;
}

/** Goes to the first field that says what is wrong, once it says so. */
function useFirstFault(submit: () => void): () => void {
  const [attempts, setAttempts] = useState(0);
  const seen = useRef(0);
  useEffect(() => {
    if (seen.current === attempts) return;
    seen.current = attempts;
    document.querySelector<HTMLElement>("main [aria-invalid='true'], main [data-error='true']")?.focus();
  }, [attempts]);
  return () => {
    submit();
    setAttempts((count) => count + 1);
  };
}

function Under({ isNew, count }: { isNew: boolean; count: number }) {
  if (isNew) return <span>Not created yet</span>;
  return <span>{count === 0 ? "As published" : `${count} ${count === 1 ? "change" : "changes"}, not published`}</span>;
}

function Up({ organization, plan }: { organization: string; plan: Plan | undefined }) {
  if (!plan)
    return (
      <BackLink to="/o/$organization/plans" params={{ organization }}>
        Plans
      </BackLink>
    );
  return (
    <BackLink to="/o/$organization/plans/$plan" params={{ organization, plan: plan.code }}>
      {plan.name}
    </BackLink>
  );
}
