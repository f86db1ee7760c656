/** Did it arrive, and will it be billed? */
import { Button } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import type { Event } from "@tallystick/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { showSecond } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FindField } from "../../ui/find-field.tsx";
import bar from "../../ui/list-bar.module.css";
import { PageTitle } from "../../ui/page-title.tsx";
import { Status } from "../../ui/status.tsx";
import table from "../../ui/table.module.css";
import { EventDetail } from "./event-detail.tsx";
import classes from "./events-page.module.css";
import { eventsQuery } from "./queries.ts";
import { SHORT } from "./reasons.ts";
import { type EventSearch, STATUSES } from "./search.ts";

const SendDialog = lazy(async () => ({ default: (await import("./send-dialog.tsx")).SendDialog }));

const FROM = "/o/$organization/events";
/** While the page is looked at, and nothing older is shown. */
const NEW_EVERY_MS = 2_000;

/** Space presses a button, and writes in a field. */
const KEYS_ARE_THEIRS = ["BUTTON", "INPUT", "SELECT", "TEXTAREA"];

const NAMES = { open: "Open", billed: "Billed", not_billed: "Not billed" } as const;

export function EventsPage() {
  const { organization } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const [isPaused, setPaused] = useState(false);
  const [isSending, setSending] = useState(false);
  const refusal = useRefusal(organization, "event");
  const go = (next: EventSearch, replace = false) =>
    void navigate({ to: FROM, params: { organization }, search: next, replace });
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...eventsQuery(organization, search),
    refetchInterval: ({ state }) => (isPaused || (state.data?.pages.length ?? 0) > 1 ? false : NEW_EVERY_MS),
  });
  useHotkeys([["space", () => setPaused((paused) => !paused)]], KEYS_ARE_THEIRS);
  const events = data?.pages.flatMap(({ items }) => items);
  const chosen = events?.find(({ svc_id }) => svc_id === search.event);
  const isFiltered = Boolean(search.status || search.code || search.subscription);
  return (
    <>
      <PageTitle title="Events">
        <Button variant="default" onClick={() => setPaused(!isPaused)} aria-pressed={isPaused}>
          {isPaused ? "Go on" : "Pause"}
        </Button>
        <Action refusal={refusal} onClick={() => setSending(true)}>
          Send an event
        </Action>
      </PageTitle>
      <div className={bar.bar}>
        <nav className={bar.views} aria-label="Views">
          {([undefined, ...STATUSES] as const).map((status) => (
            <Link
              key={status ?? "all"}
              to={FROM}
              params={{ organization }}
              search={{ ...search, status, event: undefined }}
              className={bar.view}
              aria-current={search.status === status ? "page" : undefined}
              activeOptions={{ exact: true }}
            >
              {status ? NAMES[status] : "All"}
            </Link>
          ))}
        </nav>
        <FindField
          label="Only of a subscription"
          placeholder="Id of a subscription"
          value={search.subscription}
          onFind={(subscription) => go({ ...search, subscription: subscription || undefined }, true)}
        />
      </div>
      {search.code && (
        <p className={table.weak}>
          Of code <strong>{search.code}</strong>{" "}
          <Button variant="subtle" size="compact-xs" onClick={() => go({ ...search, code: undefined })}>
            Show all codes
          </Button>
        </p>
      )}
      <Problem error={error} />
      <div className={chosen ? classes.columns : undefined}>
        <div>
          {events && events.length > 0 && <EventTable events={events} search={search} organization={organization} />}
          {events?.length === 0 &&
            (isFiltered ? (
              <EmptyState title="No event fits">
                <Button variant="default" onClick={() => go({})}>
                  Show all events
                </Button>
              </EmptyState>
            ) : (
              <FirstEvent />
            ))}
          {hasNextPage && (
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()} mt={12}>
              Older
            </Button>
          )}
        </div>
        {chosen && (
          <EventDetail event={chosen} organization={organization} onClose={() => go({ ...search, event: undefined })} />
        )}
      </div>
      <Suspense fallback={null}>
        {isSending && <SendDialog organization={organization} onClose={() => setSending(false)} />}
      </Suspense>
    </>
  );
}

function FirstEvent() {
  return (
    <EmptyState title="No event has arrived yet">
      <p>Send one with a key of this organization. It is here the moment it arrives.</p>
      <pre className={classes.code}>{`curl ${location.origin}/api/v1/events \\
  -H "Authorization: Bearer $TALLYSTICK_API_KEY" -H "Content-Type: application/json" \\
  -d '{"event":{"transaction_id":"1","external_subscription_id":"workspace-1","code":"tokens","properties":{"tokens":250}}}'`}</pre>
    </EmptyState>
  );
}

type TableProps = { events: readonly Event[]; search: EventSearch; organization: string };

function EventTable({ events, search, organization }: TableProps) {
  return (
    <table className={`${table.table} ${classes.table}`}>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Code</th>
          <th scope="col">Subscription</th>
          <th scope="col">Transaction</th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <tr key={event.svc_id} data-at={event.svc_id === search.event || undefined}>
            <td className={classes.when}>{showSecond(event.timestamp)}</td>
            <td>
              <Link
                to={FROM}
                params={{ organization }}
                search={{ ...search, event: event.svc_id }}
                className={table.cover}
                resetScroll={false}
              >
                {event.code}
              </Link>
            </td>
            <td className={classes.id}>{event.external_subscription_id}</td>
            <td className={classes.transaction}>{event.transaction_id}</td>
            <td className={classes.state}>
              <Status state={event.status} />{" "}
              {event.reason && <span className={table.weak}>{SHORT[event.reason]}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
