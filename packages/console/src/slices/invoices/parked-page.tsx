/** What cannot be billed as it is, while everything else goes on: the reason, and the two ways out. */
import { Button, TextInput } from "@mantine/core";
import type { ParkedItem } from "@tallystick/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { showInstant } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import classes from "./held-page.module.css";
import { parkedItemsQuery } from "./queries.ts";

export function ParkedItemsPage() {
  const { organization } = useParams({ from: "/o/$organization/parked-items" });
  const { data, error, refetch } = useQuery(parkedItemsQuery(organization));
  return (
    <>
      <PageTitle
        title="Parked items"
        under="What cannot be billed waits here, and everything else goes on. Remove the reason, then retry."
      />
      {error && (
        <>
          <Problem error={error} />
          <Button variant="default" onClick={() => void refetch()}>
            Try again
          </Button>
        </>
      )}
      {data?.items.length === 0 && (
        <EmptyState title="Nothing is parked">
          <p>Everything that was due is billed.</p>
        </EmptyState>
      )}
      {data && data.items.length < (data.meta.total_count ?? 0) && (
        <p>
          The newest {data.items.length} of {data.meta.total_count}.
        </p>
      )}
      {data?.items.map((item) => (
        <Parked key={item.svc_id} item={item} organization={organization} />
      ))}
    </>
  );
}

const NAMES: Readonly<Record<ParkedItem["kind"], string>> = {
  event: "Event",
  invoice: "Invoice",
  wallet: "Wallet",
  fee_refund: "Refund of a fee",
};

/** What comes of it if it is never billed. */
const AFTER_SKIP: Readonly<Record<ParkedItem["kind"], string>> = {
  event: "The event is never billed. Its status says that an operator skipped it.",
  invoice: "The invoice is never created.",
  wallet: "The top-up, expiry or balance is left as it is.",
  fee_refund: "The refund counts as settled by hand. Pay it back yourself.",
};

type PartProps = { organization: string; item: ParkedItem };

const nameOf = ({ kind, object }: ParkedItem): string => `${NAMES[kind]} ${object.external_id ?? object.svc_id}`;

function Parked({ item, organization }: PartProps) {
  const [asks, setAsks] = useState<"retry" | "skip">();
  const refusal = useRefusal(organization, "billing_run");
  return (
    <section className={classes.held} aria-label={nameOf(item)}>
      <div className={classes.head}>
        <div>
          <h2>{nameOf(item)}</h2>
          <p>
            Parked since {showInstant(item.parked_at, "UTC")} UTC, after {item.attempts}{" "}
            {item.attempts === 1 ? "attempt" : "attempts"}
          </p>
        </div>
        <div className={classes.actions}>
          <Action variant="default" refusal={refusal} onClick={() => setAsks("skip")}>
            Skip
          </Action>
          <Action refusal={refusal} onClick={() => setAsks("retry")}>
            Retry
          </Action>
        </div>
      </div>
      <p className={classes.reason}>{item.reason}</p>
      {asks && <SettleDialog item={item} organization={organization} way={asks} onClose={() => setAsks(undefined)} />}
    </section>
  );
}

type SettleProps = PartProps & { way: "retry" | "skip"; onClose: () => void };

function SettleDialog({ item, organization, way, onClose }: SettleProps) {
  const [reason, setReason] = useState("");
  const queryClient = useQueryClient();
  const settle = useMutation({
    mutationFn: () => apiOf(organization).parkedItems[way](item.svc_id, { reason }),
    onSuccess: ({ status }) => {
      if (status !== "parked") onClose();
    },
    // It can make a fee or an invoice, and a retry that failed has another reason.
    onSettled: () => queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== "session" }),
  });
  return (
    <Dialog
      title={`${way === "retry" ? "Retry" : "Skip"} ${nameOf(item)}?`}
      effect={way === "retry" ? "Retry now" : "Skip for good"}
      isDanger={way === "skip"}
      isPending={settle.isPending}
      isDisabled={reason.trim() === ""}
      onClose={onClose}
      onConfirm={() => settle.mutate()}
    >
      <p>{way === "retry" ? "It is billed at once, or stays here with the new reason." : AFTER_SKIP[item.kind]}</p>
      <TextInput
        label="Reason, stored for later review"
        required
        withAsterisk={false}
        data-autofocus
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      {settle.data?.status === "parked" && <p role="alert">It is still parked: {settle.data.reason}</p>}
      <Problem error={settle.error} />
    </Dialog>
  );
}
