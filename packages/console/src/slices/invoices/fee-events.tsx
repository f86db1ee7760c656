/** The events of a fee, each with what it added, and their running sum. Pages are read as the reader goes on. */
import { Button, Skeleton } from "@mantine/core";
import type { EventContribution } from "@tallystick/client";
import { readExact, roundTo } from "@tallystick/core/money";
import { useInfiniteQuery } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { showInstant } from "../../format/instants.ts";
import { exactMoney, majorOf, quantity } from "../../format/money.ts";
import classes from "./explain-fee.module.css";

const PAGE = 50;
/** So that the decimals of a column stand under each other. */
const DIGITS = 6;

type Props = { organization: string; feeId: string; currency: string; timeZone: string };

export function FeeEvents({ organization, feeId, currency, timeZone }: Props) {
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ["fees", organization, feeId, "events"],
    queryFn: async ({ pageParam }) =>
      await apiOf(organization).fees.listEvents(feeId, {
        per_page: PAGE,
        ...(pageParam ? { cursor: pageParam } : {}),
      }),
    initialPageParam: "",
    getNextPageParam: ({ meta }) => meta.next_cursor,
  });
  if (error) return <Problem error={error} />;
  const last = data?.pages.at(-1);
  if (!data || !last) return <Skeleton height={120} radius={2} mt={8} />;
  const events = data.pages.flatMap(({ items }) => items);
  const running = majorOf(last.meta.running_exact_amount_cents, currency);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <section className={classes.scroll} tabIndex={0} aria-label="Events">
        <EventTable events={events} currency={currency} timeZone={timeZone} />
      </section>
      <div className={classes.sum}>
        <span>{hasNextPage ? `The first ${quantity(String(events.length))}` : "All events"}</span>
        <span className="figure">{exactMoney(running, currency)}</span>
      </div>
      {hasNextPage && (
        <Button variant="default" size="compact-xs" loading={isFetching} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

function EventTable({
  events,
  currency,
  timeZone,
}: {
  events: readonly EventContribution[];
  currency: string;
  timeZone: string;
}) {
  return (
    <table className={classes.events}>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Event</th>
          <th scope="col">Units</th>
          <th scope="col">Cost, {currency}</th>
        </tr>
      </thead>
      <tbody>
        {events.map(({ svc_event_id, transaction_id, timestamp, units, exact_amount_cents, is_counted }) => (
          <tr key={`${svc_event_id} ${timestamp}`} data-counted={is_counted}>
            <td>{showInstant(timestamp, timeZone)}</td>
            <td className={classes.id} title={transaction_id}>
              {transaction_id}
            </td>
            <td>{is_counted ? quantity(roundTo(readExact(units), DIGITS).toFixed()) : "not counted"}</td>
            <td>{roundTo(readExact(majorOf(exact_amount_cents, currency)), DIGITS).toFixed(DIGITS)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
