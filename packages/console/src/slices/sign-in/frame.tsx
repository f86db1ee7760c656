/** The sheet on which people sign in and join. */
import type { ReactNode } from "react";
import { Mark } from "../../ui/tally.tsx";
import classes from "./frame.module.css";

export function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.page}>
      <header className={classes.brand}>
        <Mark size={26} /> <span>Tallystick</span>
      </header>
      <main className={classes.sheet}>
        <h1>{title}</h1>
        {children}
      </main>
    </div>
  );
}
