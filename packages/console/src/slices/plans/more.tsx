/** What few plans need: behind its summary until it is asked for, has a value, or is wrong. */
import { type ReactNode, useState } from "react";
import classes from "./editor.module.css";

type Props = { summary: string; isSet: boolean; hasFault: boolean; children: ReactNode };

export function More({ summary, isSet, hasFault, children }: Props) {
  const [isOpen, setOpen] = useState(isSet || hasFault);
  // It stays open: a field that becomes empty or right must not vanish under the hands of who writes in it.
  if (hasFault && !isOpen) setOpen(true);
  return (
    <details className={classes.more} open={isOpen}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
