/** How far a moving clock has come, and the way to stop it. */
import { Progress } from "@mantine/core";
import type { TestClock } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { showInstant } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import classes from "./clock-page.module.css";

type Props = {
  organization: string;
  clock: TestClock;
  way: { from: string; to: string };
  zone: string;
  refusal: string | undefined;
};

const msOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds;

/** Of the way, in percent. */
function percentOf(now: string, { from, to }: Props["way"]): number {
  const [start, reached, end] = [msOf(from), msOf(now), msOf(to)];
  return end > start ? Math.min(100, Math.max(0, Math.round(((reached - start) / (end - start)) * 100))) : 0;
}

export function Advancing({ organization, clock, way, zone, refusal }: Props) {
  const queryClient = useQueryClient();
  useEffect(
    () => () => {
      // What was due on the way is done.
      void queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== "session" });
    },
    [queryClient],
  );
  const stop = useMutation({
    mutationFn: () => apiOf(organization).testClocks.cancel(clock.svc_id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["test-clocks", organization] }),
  });
  return (
    <section aria-label="The clock advances" className={classes.section}>
      <h2 className={classes.title}>The clock advances</h2>
      <div className={classes.progress}>
        <Progress value={percentOf(clock.now, way)} aria-label="The way so far" />
        <p role="status">
          {showInstant(clock.now, zone, "year")} of {showInstant(way.to, zone, "year")}
        </p>
        <p className={classes.weak}>Stopped, it stays where it is. What is due later is done when you move it on.</p>
        <Action variant="default" refusal={refusal} loading={stop.isPending} onClick={() => stop.mutate()}>
          Stop here
        </Action>
        <Problem error={stop.error} />
      </div>
    </section>
  );
}
