/** Forward by a step, or to an instant. */
import { Button, Checkbox, TextInput } from "@mantine/core";
import { InvalidError, type TestClock } from "@tallystick/client";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { showInstant } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import classes from "./clock-page.module.css";
import { instantIn, localIn, targetsOf } from "./targets.ts";
import type { Advance } from "./use-advance.ts";

type Props = { clock: TestClock; zone: string; refusal: string | undefined; advance: Advance };

const needsConfirmation = (error: unknown): boolean =>
  error instanceof InvalidError && Object.values(error.fields).flat().includes("needs_confirmation");

export function MoveClock({ clock, zone, refusal, advance }: Props) {
  const from = clock.now;
  const asks = needsConfirmation(advance.error);
  // What was refused stays, to be confirmed or corrected.
  const [local, setLocal] = useState(() => localIn(advance.error ? advance.variables.to : from, zone));
  const [isConfirmed, setConfirmed] = useState(false);
  return (
    <section aria-label="Move the clock" className={classes.section}>
      <h2 className={classes.title}>Move the clock</h2>
      <div className={classes.targets}>
        {targetsOf(from, zone).map(({ name, to }) => (
          <div key={name} className={classes.target}>
            <Action
              variant="default"
              refusal={refusal}
              disabled={advance.isPending}
              onClick={() => advance.mutate({ from, to })}
            >
              {name}
            </Action>
            <p>{showInstant(to, zone, "year")}</p>
          </div>
        ))}
      </div>
      <form
        className={classes.instant}
        onSubmit={(event) => {
          event.preventDefault();
          if (refusal === undefined) advance.mutate({ from, to: instantIn(local, zone), isConfirmed });
        }}
      >
        <TextInput
          type="datetime-local"
          label={`To an instant, in ${zone}`}
          required
          withAsterisk={false}
          value={local}
          onChange={({ currentTarget }) => setLocal(currentTarget.value)}
        />
        {refusal === undefined ? (
          <Button type="submit" loading={advance.isPending} disabled={asks && !isConfirmed}>
            Move there
          </Button>
        ) : (
          <Action refusal={refusal}>Move there</Action>
        )}
        {asks && (
          <Checkbox
            className={classes.confirm ?? ""}
            label="I mean this year"
            description="It is more than 25 years ahead, and everything due on the way is done. Check it, then move there again."
            checked={isConfirmed}
            onChange={({ currentTarget }) => setConfirmed(currentTarget.checked)}
          />
        )}
      </form>
      <Problem error={asks ? undefined : advance.error} />
    </section>
  );
}
