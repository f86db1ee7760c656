/** A new key: its name, what it may do, and how long. */
import { NativeSelect, TextInput } from "@mantine/core";
import type { ApiKeyWithToken, Permissions } from "@tallystick/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { now } from "../../api/clock.ts";
import { useProof } from "../../api/proof.tsx";
import { sessionQuery } from "../../api/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import classes from "./create-key-dialog.module.css";
import { PermissionMatrix } from "./permission-matrix.tsx";
import { mayGive, PRESETS, type Preset } from "./rights.ts";

type Props = {
  organization: string;
  preset?: Preset | undefined;
  onMade: (made: ApiKeyWithToken) => void;
  onClose: () => void;
};

const LIVES = [
  { value: "", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "day", label: "On a day" },
];

const HOURS_OF_DAY = 24;

/** The last day counts as a whole, in days of the reader. */
function expiryOf(life: string, day: string): string | null | undefined {
  if (life === "") return null;
  if (life !== "day")
    return now()
      .add({ hours: Number(life) * HOURS_OF_DAY })
      .toString({ fractionalSecondDigits: 0 });
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return day
    ? Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(timeZone).toInstant().toString()
    : undefined;
}

export function CreateKeyDialog({ organization, preset: given, onMade, onClose }: Props) {
  const { data: session } = useQuery(sessionQuery(organization));
  const allowed = session?.organization?.permissions ?? [];
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<Preset | "own">();
  const kind = chosen ?? given ?? PRESETS.find(({ permissions }) => mayGive(allowed, permissions))?.preset ?? "own";
  const [permissions, setPermissions] = useState<Permissions>({});
  const [life, setLife] = useState("");
  const [day, setDay] = useState("");
  const queryClient = useQueryClient();
  const proof = useProof();
  const expiresAt = expiryOf(life, day);
  const create = useMutation({
    mutationFn: () =>
      proof.prove(() =>
        apiOf(organization).apiKeys.create({
          name: name.trim(),
          ...(kind === "own" ? { permissions } : { preset: kind }),
          ...(expiresAt ? { expires_at: expiresAt } : {}),
        }),
      ),
    onSuccess: async (made) => {
      onMade(made);
      await queryClient.invalidateQueries({ queryKey: ["api-keys", organization] });
    },
  });
  const hasRights = kind !== "own" || Object.values(permissions).some((actions) => actions.length > 0);
  return (
    <Dialog
      title="New API key"
      effect="Create the key"
      size={620}
      isPending={create.isPending}
      isDisabled={name.trim() === "" || !hasRights || expiresAt === undefined}
      onClose={onClose}
      onConfirm={() => create.mutate()}
    >
      <TextInput
        label="Name"
        description="Of the program that will use it."
        required
        withAsterisk={false}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <fieldset className={classes.kinds}>
        <legend>May do</legend>
        {PRESETS.map(({ preset, name: title, meaning, permissions: wanted }) => (
          <Choice
            key={preset}
            title={title}
            meaning={mayGive(allowed, wanted) ? meaning : "Your role does not include all of it."}
            isChosen={kind === preset}
            isDisabled={!mayGive(allowed, wanted)}
            onChoose={() => setChosen(preset)}
          />
        ))}
        <Choice
          title="Choose by resource"
          meaning="As much as your role includes."
          isChosen={kind === "own"}
          onChoose={() => setChosen("own")}
        />
      </fieldset>
      {kind === "own" && <PermissionMatrix value={permissions} allowed={allowed} onChange={setPermissions} />}
      <NativeSelect
        size="xs"
        label="Expires"
        data={LIVES}
        value={life}
        onChange={({ currentTarget }) => setLife(currentTarget.value)}
      />
      {life === "day" && (
        <TextInput
          type="date"
          label="Last day"
          value={day}
          onChange={({ currentTarget }) => setDay(currentTarget.value)}
        />
      )}
      {proof.ask(create.error)}
    </Dialog>
  );
}

type ChoiceProps = {
  title: string;
  meaning: string;
  isChosen: boolean;
  isDisabled?: boolean;
  onChoose: () => void;
};

function Choice({ title, meaning, isChosen, isDisabled = false, onChoose }: ChoiceProps) {
  return (
    <label className={classes.kind} data-disabled={isDisabled || undefined}>
      <input type="radio" name="kind" checked={isChosen} disabled={isDisabled} onChange={onChoose} />
      <span>
        <strong>{title}</strong>
        <span className={classes.meaning}>{meaning}</span>
      </span>
    </label>
  );
}
