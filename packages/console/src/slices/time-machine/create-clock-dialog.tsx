/** A clock that begins when you say. */
import { TextInput } from "@mantine/core";
import type { TestClock } from "@tallystick/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { now } from "../../api/clock.ts";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { zoneQuery } from "./queries.ts";
import { instantIn, localIn } from "./targets.ts";

type Props = { organization: string; onMade: (clock: TestClock) => void; onClose: () => void };

export function CreateClockDialog({ organization, onMade, onClose }: Props) {
  const { data: zone } = useQuery(zoneQuery(organization));
  const [name, setName] = useState("");
  const [given, setGiven] = useState<string>();
  const start = given ?? (zone ? localIn(now().toString(), zone) : "");
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      apiOf(organization).testClocks.create({ name: name.trim() || null, now: instantIn(start, zone ?? "UTC") }),
    onSuccess: async (made) => {
      await queryClient.invalidateQueries({ queryKey: ["test-clocks", organization] });
      onMade(made);
    },
  });
  return (
    <Dialog
      title="New clock"
      effect="Create the clock"
      isPending={create.isPending}
      isDisabled={!zone || start === ""}
      onClose={onClose}
      onConfirm={() => create.mutate()}
    >
      <TextInput
        label="Name"
        description="What you try with it; may be empty."
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        label="It begins at"
        description={`In ${zone ?? "UTC"}. From there it only goes forward.`}
        value={start}
        onChange={({ currentTarget }) => setGiven(currentTarget.value)}
      />
      <Problem error={create.error} />
    </Dialog>
  );
}
