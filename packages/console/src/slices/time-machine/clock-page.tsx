/** What happens next: moves a clock, and shows what came of it. */
import type { TestClock } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { showInstant } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import { Advancing } from "./advancing.tsx";
import classes from "./clock-page.module.css";
import { MadeSince } from "./made-since.tsx";
import { MoveClock } from "./move-clock.tsx";
import { clockCustomersQuery, clockQuery, zoneQuery } from "./queries.ts";
import { useAdvance } from "./use-advance.ts";

const DeleteClockDialog = lazy(async () => ({ default: (await import("./clock-dialogs.tsx")).DeleteClockDialog }));
const AddCustomerDialog = lazy(async () => ({ default: (await import("./clock-dialogs.tsx")).AddCustomerDialog }));

const FROM = "/o/$organization/time-machine/$clock";

export function ClockPage() {
  const { organization, clock: id } = useParams({ from: FROM });
  const { since } = useSearch({ from: FROM });
  const advance = useAdvance(organization, id, since);
  const { data: clock, error } = useQuery(clockQuery(organization, id, advance.isPending));
  const { data: zone = "UTC" } = useQuery(zoneQuery(organization));
  const refusal = useRefusal(organization, "test_clock");
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <BackLink to="/o/$organization/time-machine" params={{ organization }}>
        Time machine
      </BackLink>
      <Problem error={error} />
      {clock && (
        <>
          <PageTitle
            title={clock.name || "Clock without a name"}
            under={
              <span className={classes.time}>
                {showInstant(clock.now, zone, "year")} <span className={classes.zone}>{zone}</span>
              </span>
            }
          >
            <Action variant="default" refusal={refusal} onClick={() => setDeleting(true)}>
              Delete
            </Action>
          </PageTitle>
          <div className={classes.columns}>
            <div>
              {clock.status === "advancing" || advance.isPending ? (
                <Advancing
                  organization={organization}
                  clock={clock}
                  way={{ from: since ?? clock.now, to: clock.advancing_to ?? advance.variables?.to ?? clock.now }}
                  zone={zone}
                  refusal={refusal}
                />
              ) : (
                <MoveClock key={clock.now} clock={clock} zone={zone} refusal={refusal} advance={advance} />
              )}
              <MadeSince organization={organization} clock={clock} since={since} zone={zone} />
            </div>
            <Customers organization={organization} clock={clock} />
          </div>
          <Suspense fallback={null}>
            {isDeleting && (
              <DeleteClockDialog
                organization={organization}
                clock={clock}
                onClose={() => setDeleting(false)}
                onDeleted={() => void navigate({ to: "/o/$organization/time-machine", params: { organization } })}
              />
            )}
          </Suspense>
        </>
      )}
    </>
  );
}

function Customers({ organization, clock }: { organization: string; clock: TestClock }) {
  const { data, error } = useQuery(clockCustomersQuery(organization));
  const refusal = useRefusal(organization, "customer");
  const [isAdding, setAdding] = useState(false);
  const customers = data?.filter(({ test_clock_id }) => test_clock_id === clock.svc_id);
  return (
    <section aria-label="Customers of the clock">
      <h2 className={classes.title}>Its customers</h2>
      <Problem error={error} />
      <ul className={classes.customers}>
        {customers?.map(({ external_id, name }) => (
          <li key={external_id}>
            <Link
              to="/o/$organization/customers/$customer"
              params={{ organization, customer: external_id }}
              className={classes.link}
            >
              {name || external_id}
            </Link>
          </li>
        ))}
      </ul>
      {customers?.length === 0 && (
        <p className={classes.weak}>None yet. A customer is put on a clock when it is created.</p>
      )}
      <Action variant="default" refusal={refusal} onClick={() => setAdding(true)}>
        New customer on this clock
      </Action>
      <Suspense fallback={null}>
        {isAdding && <AddCustomerDialog organization={organization} clock={clock} onClose={() => setAdding(false)} />}
      </Suspense>
    </section>
  );
}
