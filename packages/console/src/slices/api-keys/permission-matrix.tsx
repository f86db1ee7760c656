/** Resources by what may be done with them. What the person does not have cannot be handed out. */
import type { Permissions } from "@tallystick/client";
import { Fragment } from "react";
import classes from "./permission-matrix.module.css";
import { ACTIONS, type Allowed, GROUPS, type Resource } from "./rights.ts";

type Props = { value: Permissions; allowed: Allowed; onChange: (next: Permissions) => void };

export function PermissionMatrix({ value, allowed, onChange }: Props) {
  const mayHave = (resource: string, action: (typeof ACTIONS)[number]) =>
    allowed.some((one) => one.resource === resource && one.actions.includes(action));
  const set = (resource: Resource, action: (typeof ACTIONS)[number], isOn: boolean) => {
    const others = (value[resource] ?? []).filter((one) => one !== action);
    onChange({ ...value, [resource]: isOn ? [...others, action] : others });
  };
  return (
    <table className={classes.matrix}>
      <caption className={classes.caption}>What the key may do</caption>
      <thead>
        <tr>
          <th scope="col">Resource</th>
          <th scope="col">Read</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {GROUPS.map(({ name, resources }) => (
          <Fragment key={name}>
            <tr>
              <th scope="colgroup" colSpan={3} className={classes.group}>
                {name}
              </th>
            </tr>
            {(Object.entries(resources) as [Resource, string][]).map(([resource, label]) => (
              <tr key={resource}>
                <th scope="row">{label}</th>
                {ACTIONS.map((action) => (
                  <td key={action}>
                    <label>
                      <span className={classes.caption}>
                        {action === "read" ? "Read" : "Change"} {label}
                      </span>
                      <input
                        type="checkbox"
                        checked={value[resource]?.includes(action) ?? false}
                        disabled={!mayHave(resource, action)}
                        onChange={({ currentTarget }) => set(resource, action, currentTarget.checked)}
                      />
                    </label>
                  </td>
                ))}
              </tr>
            ))}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}
