/** The clocks of a sandbox: each moves time for its customers. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { sessionQuery } from "../../api/session.ts";
import { showInstant, showInstantDay } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import { Status } from "../../ui/status.tsx";
import table from "../../ui/table.module.css";
import classes from "./clock-list-page.module.css";
import { clockCustomersQuery, clocksQuery, zoneQuery } from "./queries.ts";

const CreateClockDialog = lazy(async () => ({
  default: (await import("./create-clock-dialog.tsx")).CreateClockDialog,
}));

const FROM = "/o/$organization/time-machine";

export function ClockListPage() {
  const { organization } = useParams({ from: FROM });
  const { data: session } = useQuery(sessionQuery(organization));
  const isSandbox = session?.organizations.find(({ id }) => id === organization)?.is_sandbox;
  if (isSandbox === undefined) return null;
  return isSandbox ? <Clocks organization={organization} /> : <OnlyInSandboxes />;
}

function OnlyInSandboxes() {
  return (
    <>
      <PageTitle title="Time machine" />
      <EmptyState title="Time moves only in a sandbox">
        <p>This organization bills real customers. Create a sandbox, and try there what next month will bring.</p>
        <Link to="/organizations" className={classes.link}>
          Organizations
        </Link>
      </EmptyState>
    </>
  );
}

function Clocks({ organization }: { organization: string }) {
  const { data, error } = useQuery(clocksQuery(organization));
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const refusal = useRefusal(organization, "test_clock");
  const create = () => setOpen(true);
  return (
    <>
      <PageTitle
        title="Time machine"
        under="A clock moves time for its customers. All that is due on the way is done, by the code that bills."
      >
        <Action refusal={refusal} onClick={create}>
          New clock
        </Action>
      </PageTitle>
      <Problem error={error} />
      {data?.items.length === 0 && (
        <EmptyState title="There is no clock yet">
          <p>Create one, put a customer on it, and see a year of invoices in seconds.</p>
          <Action refusal={refusal} onClick={create}>
            Create a clock
          </Action>
        </EmptyState>
      )}
      {data && data.items.length > 0 && <ClockTable organization={organization} />}
      <Suspense fallback={null}>
        {isOpen && (
          <CreateClockDialog
            organization={organization}
            onClose={() => setOpen(false)}
            onMade={({ svc_id: clock }) => void navigate({ to: `${FROM}/$clock`, params: { organization, clock } })}
          />
        )}
      </Suspense>
    </>
  );
}

function ClockTable({ organization }: { organization: string }) {
  const { data } = useQuery(clocksQuery(organization));
  const { data: zone = "UTC" } = useQuery(zoneQuery(organization));
  const { data: customers } = useQuery(clockCustomersQuery(organization));
  return (
    <table className={`${table.table} ${classes.table}`}>
      <thead>
        <tr>
          <th scope="col">Clock</th>
          <th scope="col">Its time, in {zone}</th>
          <th scope="col">Status</th>
          <th scope="col">Customers</th>
          <th scope="col">Created</th>
        </tr>
      </thead>
      <tbody>
        {data?.items.map(({ svc_id, name, now, status, created_at }) => (
          <tr key={svc_id}>
            <td className={classes.name}>
              <Link to={`${FROM}/$clock`} params={{ organization, clock: svc_id }} className={table.cover}>
                {name || "Clock without a name"}
              </Link>
            </td>
            <td className={classes.time}>{showInstant(now, zone, "year")}</td>
            <td>{status === "advancing" ? <Status state="advancing" /> : "Ready"}</td>
            <td className={classes.customers}>
              {customers?.filter(({ test_clock_id }) => test_clock_id === svc_id).length}
            </td>
            <td className={classes.created}>{showInstantDay(created_at)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
