/** Fields whose text is the amount. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";
import { wholeOf, wholeText } from "../../format/money.ts";

type Props = Omit<TextInputProps, "value" | "onChange"> & {
  value: string;
  onChange: (text: string) => void;
};

/** The text under a field, so that the fields of a row are at one height. */
const ORDER = ["label", "input", "description", "error"] as const;

export function TextField({ value, onChange, ...input }: Props) {
  return (
    <TextInput
      inputWrapperOrder={[...ORDER]}
      {...input}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** Digits and a point, exactly as they were entered. */
export const DecimalField = (props: Props) => <TextField inputMode="decimal" autoComplete="off" {...props} />;

/** A whole number: with separators while nobody is in it. */
export function WholeField({ value, onChange, ...input }: Props) {
  const [isHere, setHere] = useState(false);
  return (
    <TextField
      inputMode="numeric"
      autoComplete="off"
      {...input}
      value={isHere ? value : wholeText(value)}
      onFocus={() => setHere(true)}
      onBlur={() => setHere(false)}
      onChange={(text) => onChange(wholeOf(text))}
    />
  );
}
