/** A refusal, in place: what is wrong, what to do, and the id for a report. */
import { TallystickError } from "@tallystick/client";
import classes from "./problem.module.css";
import { Refusal } from "./session.ts";

type Words = { message: string; requestId: string | undefined };

export function inWords(error: unknown): Words {
  if (error instanceof TallystickError || error instanceof Refusal)
    return { message: error.message, requestId: error.requestId };
  return { message: "The console has a fault. Reload the page; if it stays, report it.", requestId: undefined };
}

export function Problem({ error }: { error: unknown }) {
  if (!error) return null;
  const { message, requestId } = inWords(error);
  return (
    <p className={classes.problem} role="alert">
      {message}
      {requestId && <span className={classes.id}> Request {requestId}</span>}
    </p>
  );
}
