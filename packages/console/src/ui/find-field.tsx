/** Narrows a list by a word. `/` goes to it. */
import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback, useHotkeys } from "@mantine/hooks";
import { Search } from "lucide-react";
import { useRef, useState } from "react";
import classes from "./list-bar.module.css";

const PAUSE_MS = 200;

type Props = { label: string; placeholder: string; value: string | undefined; onFind: (term: string) => void };

export function FindField({ label, placeholder, value, onFind }: Props) {
  const [text, setText] = useState(value ?? "");
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([["/", () => field.current?.focus()]]);
  const find = useDebouncedCallback(onFind, PAUSE_MS);
  const set = (term: string) => {
    setText(term);
    find(term);
  };
  return (
    <TextInput
      ref={field}
      className={classes.find ?? ""}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={14} />}
      rightSection={text && <CloseButton size="xs" aria-label="Clear" onClick={() => set("")} />}
      value={text}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
}
