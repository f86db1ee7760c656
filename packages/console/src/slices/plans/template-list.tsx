/** Plans to begin with, each with the shape of its price. */
import { Link } from "@tanstack/react-router";
import table from "../../ui/table.module.css";
import { curveOf } from "./curve.ts";
import classes from "./list-page.module.css";
import { SmallCurve } from "./price-curve.tsx";
import { metricsById, readDraft } from "./read-draft.ts";
import { draftOfTemplate, TEMPLATES } from "./templates.ts";

export function TemplateList({ organization }: { organization: string }) {
  return (
    <ul className={classes.templates}>
      {TEMPLATES.map(({ id, title, about, charges }) => (
        <li key={id} className={classes.template}>
          <SmallCurve points={pointsOf(id, Number(charges[0]?.units))} />
          <h3>
            <Link
              to="/o/$organization/new-plan"
              params={{ organization }}
              search={{ template: id }}
              className={table.cover}
            >
              {title}
            </Link>
          </h3>
          <p>{about}</p>
        </li>
      ))}
      <li className={classes.template}>
        <SmallCurve points={[]} />
        <h3>
          <Link to="/o/$organization/new-plan" params={{ organization }} className={table.cover}>
            From nothing
          </Link>
        </h3>
        <p>An empty plan, for a price that none of these is like.</p>
      </li>
    </ul>
  );
}

function pointsOf(id: string, units: number) {
  const price = readDraft(draftOfTemplate(id, []), metricsById([])).plan?.charges[0]?.price;
  return price ? curveOf(price, { most: units * 2, events: "10" }).points : [];
}
