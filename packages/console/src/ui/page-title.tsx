/** The name of the page, and what can be done on it. */
import type { ReactNode } from "react";
import classes from "./page-title.module.css";

export function PageTitle({ title, under, children }: { title: string; under?: ReactNode; children?: ReactNode }) {
  return (
    <header className={classes.head}>
      <title>{`${title} · Tallystick`}</title>
      <div className={classes.words}>
        <h1>{title}</h1>
        {under && <div className={classes.under}>{under}</div>}
      </div>
      {children && <div className={classes.actions}>{children}</div>}
    </header>
  );
}
