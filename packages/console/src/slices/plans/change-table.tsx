/** What differs between two plans, before and after. */
import type { Change } from "./difference.ts";
import classes from "./review-dialog.module.css";

export function ChangeTable({ changes, isNew }: { changes: readonly Change[]; isNew?: boolean }) {
  const groups = [...Map.groupBy(changes, ({ of }) => of)];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <section className={classes.scroll} tabIndex={0} aria-label="What changes">
      <table className={classes.changes}>
        <thead>
          <tr>
            <th scope="col">What</th>
            {!isNew && <th scope="col">Before</th>}
            <th scope="col">{isNew ? "Value" : "After"}</th>
          </tr>
        </thead>
        {groups.map(([of, own]) => (
          <tbody key={of}>
            <tr>
              <th scope="rowgroup" colSpan={3}>
                {of}
              </th>
            </tr>
            {own.map(({ key, what, before, after }) => (
              <tr key={key}>
                <td>{what}</td>
                {!isNew && <td className={classes.before}>{before ?? "–"}</td>}
                <td>{after ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}
