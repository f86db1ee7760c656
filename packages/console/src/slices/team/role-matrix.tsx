/** What each role includes, by resource of the API. */
import type { Role } from "@tallystick/client";
import table from "../../ui/table.module.css";
import classes from "./team-page.module.css";

/** Stands for every resource that a role does not name. */
const EVERY = "*";

export function RoleMatrix({ roles }: { roles: readonly Role[] }) {
  const resources = [...new Set(roles.flatMap(({ permissions }) => permissions.map(({ resource }) => resource)))];
  const named = resources.filter((resource) => (resource as string) !== EVERY).sort();
  return (
    <div className={classes.section}>
      <h2>What roles include</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <section aria-label="Roles by resource" className={classes.matrix} tabIndex={0}>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Resource</th>
              {roles.map(({ code, name }) => (
                <th key={code} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {named.map((resource) => (
              <tr key={resource}>
                <th scope="row">{resource.replaceAll("_", " ")}</th>
                {roles.map((role) => (
                  <Cell key={role.code} role={role} resource={resource} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function Cell({ role: { permissions }, resource }: { role: Role; resource: string }) {
  const actions = permissions.find((one) => one.resource === resource)?.actions ?? [];
  if (actions.includes("write")) return <td>read, write</td>;
  if (actions.includes("read")) return <td className={table.weak}>read</td>;
  return <td className={classes.none}>–</td>;
}
