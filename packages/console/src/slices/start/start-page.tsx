/** From nothing to a first invoice in five steps, each a small form that writes through the API. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { sessionQuery } from "../../api/session.ts";
import { PageTitle } from "../../ui/page-title.tsx";
import { Tally } from "../../ui/tally.tsx";
import { progressQuery, type StepName } from "./progress.ts";
import { SampleData } from "./sample-data.tsx";
import classes from "./start-page.module.css";
import { BillStep } from "./steps/bill-step.tsx";
import { CustomerStep } from "./steps/customer-step.tsx";
import { MetricStep } from "./steps/metric-step.tsx";
import { PlanStep } from "./steps/plan-step.tsx";
import { UsageStep } from "./steps/usage-step.tsx";

const FROM = "/o/$organization/";

const STEPS: readonly { name: StepName; title: string; about: string; form: typeof MetricStep }[] = [
  { name: "metric", title: "What you measure", about: "A metric turns events into a quantity.", form: MetricStep },
  { name: "plan", title: "What it costs", about: "A plan has a base fee, and a price for each unit.", form: PlanStep },
  {
    name: "customer",
    title: "Who is billed",
    about: "A customer, with a subscription to the plan.",
    form: CustomerStep,
  },
  {
    name: "usage",
    title: "What was used",
    about: "Events are what your product sends when it is used.",
    form: UsageStep,
  },
  { name: "invoice", title: "The first invoice", about: "It is made when the period ends.", form: BillStep },
];

export function StartPage() {
  const { organization } = useParams({ from: FROM });
  const { data: session } = useQuery(sessionQuery(organization));
  const { data: progress } = useQuery(progressQuery(organization));
  const isSandbox = session?.organizations.some(({ id, is_sandbox }) => id === organization && is_sandbox) ?? false;
  const done = progress ? STEPS.filter(({ name }) => progress.done[name]).length : 0;
  const next = STEPS.find(({ name }) => !progress?.done[name])?.name;
  return (
    <>
      <PageTitle title="Get started" under="From nothing to a first invoice, in five steps." />
      {progress && (
        <div className={classes.columns}>
          <ol className={classes.steps}>
            {STEPS.map(({ name, title, about, form: Form }, index) => {
              const isDone = progress.done[name];
              return (
                <li
                  key={name}
                  className={classes.step}
                  data-done={isDone || undefined}
                  aria-current={name === next ? "step" : undefined}
                >
                  <h2>
                    <span className={classes.number} aria-hidden="true">
                      {isDone ? <Check size={18} /> : index + 1}
                    </span>
                    {title}
                    {isDone && <span className={classes.done}>done</span>}
                  </h2>
                  <p>{about}</p>
                  {name === next && <Form organization={organization} isSandbox={isSandbox} progress={progress} />}
                </li>
              );
            })}
          </ol>
          <section className={classes.side} aria-label="Progress">
            <Tally count={STEPS.length} done={done} height={64} />
            <p role="status">
              {done} of {STEPS.length} steps
            </p>
            {progress.invoiceId && (
              <Link
                to="/o/$organization/invoices/$id"
                params={{ organization, id: progress.invoiceId }}
                className={classes.link}
              >
                Open the newest invoice
              </Link>
            )}
            {isSandbox && <SampleData organization={organization} />}
          </section>
        </div>
      )}
    </>
  );
}
