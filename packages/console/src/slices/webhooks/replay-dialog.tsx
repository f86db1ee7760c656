/** Sends again what the filters of the log show, after counting it. */
import type { WebhookReplay } from "@tallystick/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { filterOf } from "./queries.ts";
import type { WebhookSearch } from "./search.ts";

type Props = {
  organization: string;
  search: WebhookSearch;
  onReplayed: (replay: WebhookReplay) => void;
  onClose: () => void;
};

/** Older than anything that is kept. */
const EVER = "1970-01-01T00:00:00Z";

export function ReplayDialog({ organization, search, onReplayed, onClose }: Props) {
  // As it is now: what is counted is what is sent.
  const [filter] = useState(() => ({ created_at_from: EVER, ...filterOf(search) }));
  const queryClient = useQueryClient();
  const { data: count, error } = useQuery({
    queryKey: ["webhooks", organization, "count", filter],
    queryFn: async () => (await apiOf(organization).webhooks.list({ ...filter, per_page: 1 })).meta.total_count ?? 0,
  });
  const replay = useMutation({
    mutationFn: () => apiOf(organization).webhooks.replay(filter),
    onSuccess: async (made) => {
      onReplayed(made);
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["webhooks", organization] });
    },
  });
  return (
    <Dialog
      title="Send these messages again?"
      effect={count === undefined ? "Send again" : `Send ${count} again`}
      isPending={replay.isPending}
      isDisabled={!count}
      onClose={onClose}
      onConfirm={() => replay.mutate()}
    >
      <p role="status">
        {count === undefined
          ? "Counting…"
          : `${count} ${count === 1 ? "message fits" : "messages fit"} the filters of the log, on all of its pages.`}
      </p>
      <p>
        Each goes to its endpoint under the same id and in the same bytes, so that a receiver knows it. Those that were
        delivered are sent as well{search.status ? " if the filters include them" : ""}; those of a disabled or deleted
        endpoint are not.
      </p>
      <Problem error={error ?? replay.error} />
    </Dialog>
  );
}
