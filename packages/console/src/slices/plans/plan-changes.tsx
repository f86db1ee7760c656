/** Who changed a plan, and what. */
import type { Activity, Plan } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../../api/session.ts";
import { showInstantDay } from "../../format/instants.ts";
import classes from "./plan-page.module.css";
import { changesOfPlanQuery } from "./queries.ts";

const WHO = { key: "An API key", person: "A person", command: "An operator", service: "The service" } as const;

const MEMBERS: Readonly<Record<string, string>> = {
  amount_cents: "base fee",
  invoice_display_name: "name on invoices",
  minimum_commitment: "minimum commitment",
  trial_period: "trial",
  pay_in_advance: "time of billing",
};

export function PlanChanges({ organization, plan }: { organization: string; plan: Plan }) {
  const { data: session } = useQuery(sessionQuery(organization));
  const mayRead = session?.organization?.permissions.some(
    ({ resource, actions }) => resource === "activity" && actions.includes("read"),
  );
  const { data } = useQuery({ ...changesOfPlanQuery(organization, plan.svc_id), enabled: mayRead === true });
  if (!data || data.length === 0) return null;
  return (
    <section className={classes.section} aria-label="Changes">
      <h2>Changes</h2>
      <ul className={classes.changes}>
        {data.map((activity) => (
          <li key={activity.svc_id}>
            <span>
              {WHO[activity.actor.kind]} {whatOf(activity)}
            </span>
            <time dateTime={activity.created_at}>{showInstantDay(activity.created_at)}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}

function whatOf({ operation, difference }: Activity): string {
  if (operation === "createPlan") return "created it";
  const members = Object.keys(difference ?? {}).map((name) => MEMBERS[name] ?? name.replaceAll("_", " "));
  return members.length > 0 ? `changed ${members.join(", ")}` : "saved it without a change";
}
