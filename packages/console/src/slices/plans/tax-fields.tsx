/** Which taxes apply. None chosen: those of the next level. */
import { Checkbox } from "@mantine/core";
import type { Tax } from "@tallystick/client";
import classes from "./editor.module.css";

type Props = { taxes: readonly Tax[]; chosen: readonly string[]; onChange: (codes: readonly string[]) => void };

export function TaxFields({ taxes, chosen, onChange }: Props) {
  if (taxes.length === 0) return null;
  return (
    <fieldset className={classes.choices}>
      <legend>Taxes</legend>
      {taxes.map(({ code, name, rate }) => (
        <Checkbox
          key={code}
          size="xs"
          label={`${name}, ${rate} %`}
          checked={chosen.includes(code)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.checked ? [...chosen, code] : chosen.filter((one) => one !== code))
          }
        />
      ))}
    </fieldset>
  );
}
