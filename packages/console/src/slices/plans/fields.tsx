/** Fields whose text is the amount. */
import { NativeSelect, type NativeSelectProps, TextInput, type TextInputProps } from "@mantine/core";
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

export function SelectField<Value extends string>({
  onChange,
  ...input
}: Omit<NativeSelectProps, "value" | "onChange"> & { value: Value; onChange: (value: Value) => void }) {
  return (
    <NativeSelect
      size="xs"
      inputWrapperOrder={[...ORDER]}
      {...input}
      onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
    />
  );
}

/** Digits and a point, exactly as they were entered. */
export const DecimalField = (props: Props) => <TextField inputMode="decimal" autoComplete="off" {...props} />;

/** A whole number: with separators while nobody is in it. */
export function WholeField({ value, onChange, ...input }: Props) {
  // While someone is in it, it shows what they see and type: another text would lose the selection.
  const [typed, setTyped] = useState<string>();
  return (
    <TextField
      inputMode="numeric"
      autoComplete="off"
      {...input}
      value={typed ?? wholeText(value)}
      onBlur={() => setTyped(undefined)}
      onChange={(text) => {
        setTyped(text);
        onChange(wholeOf(text));
      }}
    />
  );
}
