/** A password that is chosen: how long it is, shown on demand. */
import { PasswordInput } from "@mantine/core";

const LEAST = 12;

export function NewPassword({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const missing = LEAST - value.length;
  return (
    <PasswordInput
      label="Password"
      description={
        missing > 0 && value
          ? `${missing} more ${missing === 1 ? "character" : "characters"}`
          : "At least 12 characters. A few words that do not belong together are good."
      }
      autoComplete="new-password"
      required
      withAsterisk={false}
      visibilityToggleButtonProps={{ "aria-label": "Show the password", tabIndex: 0 }}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
