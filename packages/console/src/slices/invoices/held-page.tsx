/** Invoices that two computations disagree on: nothing is sent before a person has looked. */
import { Button, TextInput } from "@mantine/core";
import type { HeldInvoice } from "@tallystick/client";
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
import table from "../../ui/table.module.css";
import classes from "./held-page.module.css";
import { heldInvoicesQuery } from "./queries.ts";

export function HeldInvoicesPage() {
  const { organization } = useParams({ from: "/o/$organization/held-invoices" });
  const { data, error, refetch } = useQuery(heldInvoicesQuery(organization));
  return (
    <>
      <PageTitle
        title="Held invoices"
        under="Each invoice is computed twice, by two programs that share no code. If they differ, it waits here."
      />
      {error && (
        <>
          <Problem error={error} />
          <Button variant="default" onClick={() => void refetch()}>
            Try again
          </Button>
        </>
      )}
      {data?.length === 0 && (
        <EmptyState title="Nothing is held">
          <p>Both computations agree on every invoice.</p>
        </EmptyState>
      )}
      {data?.map((held) => (
        <Held key={held.svc_invoice_id} held={held} organization={organization} />
      ))}
    </>
  );
}

function Held({ held, organization }: { held: HeldInvoice; organization: string }) {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal(organization, "held_invoice");
  return (
    <section className={classes.held} aria-label={`Held invoice of ${held.external_customer_id}`}>
      <div className={classes.head}>
        <div>
          <h2>{held.external_customer_id}</h2>
          <p>
            {held.step === "issue" ? "Not created" : "Not finalized"} since {showInstant(held.held_at, "UTC")} UTC
            {held.times > 1 && `, held ${held.times} times`}
          </p>
        </div>
        <Action refusal={refusal} onClick={() => setOpen(true)}>
          Release as the first says
        </Action>
      </div>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Figure, in minor units</th>
            <th scope="col">First computation</th>
            <th scope="col">Second computation</th>
          </tr>
        </thead>
        <tbody>
          {held.differences.map(({ figure, first, second }) => (
            <tr key={figure}>
              <td>{nameOfFigure(figure)}</td>
              <td>{first ?? "not there"}</td>
              <td>{second ?? "not there"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {isOpen && <ReleaseDialog held={held} organization={organization} onClose={() => setOpen(false)} />}
    </section>
  );
}

const FIGURES: Readonly<Record<string, string>> = {
  total: "Total",
  taxes: "Taxes",
  coupons: "Coupons",
  "credit notes": "Credit notes used",
  prepaid: "Prepaid credits used",
};
const ID = /[\da-f]{8}-[\da-f-]{23}([\da-f]{4})/g;

/** The ids of a fee differ in their ends. */
const nameOfFigure = (figure: string): string =>
  FIGURES[figure] ?? `${figure.charAt(0).toUpperCase()}${figure.slice(1).replace(ID, "…$1")}`;

type ReleaseProps = { held: HeldInvoice; organization: string; onClose: () => void };

function ReleaseDialog({ held, organization, onClose }: ReleaseProps) {
  const [reason, setReason] = useState("");
  const queryClient = useQueryClient();
  const release = useMutation({
    mutationFn: () => apiOf(organization).heldInvoices.release(held.svc_invoice_id, { reason }),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["invoices", organization] });
    },
  });
  return (
    <Dialog
      title="Release this invoice?"
      effect="Release as the first says"
      isPending={release.isPending}
      isDisabled={reason.trim() === ""}
      onClose={onClose}
      onConfirm={() => release.mutate()}
    >
      <p>It is finalized at once with the figures of the first computation, as of its own instant.</p>
      <TextInput
        label="Reason, stored for later review"
        required
        withAsterisk={false}
        data-autofocus
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <Problem error={release.error} />
    </Dialog>
  );
}
