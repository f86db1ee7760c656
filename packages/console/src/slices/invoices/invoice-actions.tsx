/** What can be done with an invoice, by its state. */
import { Button } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import type { InvoiceWithFees } from "@tallystick/client";
import { useMutation } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { apiOf } from "../../api/client.ts";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { Action } from "../../ui/action.tsx";
import type { InvoiceDialogName } from "./invoice-dialogs.tsx";
import { useInvoiceChange } from "./use-invoice-change.ts";

const MoreActions = lazy(async () => ({ default: (await import("./more-actions.tsx")).MoreActions }));
const InvoiceDialog = lazy(async () => ({ default: (await import("./invoice-dialogs.tsx")).InvoiceDialog }));

type Props = { organization: string; invoice: InvoiceWithFees };

export function InvoiceActions({ organization, invoice }: Props) {
  if (invoice.status === "draft") return <DraftActions organization={organization} invoice={invoice} />;
  if (invoice.status === "finalized") return <FinalActions organization={organization} invoice={invoice} />;
  return <DocumentButton organization={organization} id={invoice.svc_id} />;
}

function DraftActions({ organization, invoice: { svc_id: id } }: Props) {
  const refusal = useRefusal(organization, "invoice");
  const refresh = useInvoiceChange(organization, id, { change: (api) => api.invoices.refresh(id) });
  const finalize = useInvoiceChange(organization, id, { change: (api) => api.invoices.finalize(id) });
  return (
    <>
      <Action variant="default" refusal={refusal} loading={refresh.isPending} onClick={() => refresh.mutate()}>
        Recompute
      </Action>
      <Action refusal={refusal} loading={finalize.isPending} onClick={() => finalize.mutate()}>
        Finalize now
      </Action>
      <Problem error={refresh.error ?? finalize.error} />
    </>
  );
}

function FinalActions({ organization, invoice }: Props) {
  const id = invoice.svc_id;
  const [dialog, setDialog] = useState<InvoiceDialogName>();
  const close = () => setDialog(undefined);
  const refusal = useRefusal(organization, "invoice");
  const mayCredit = useRefusal(organization, "credit_note");
  const pay = useInvoiceChange(organization, id, {
    change: (api) => api.invoices.update(id, { payment_status: "succeeded" }),
  });
  const send = useMutation({ mutationFn: () => apiOf(organization).invoices.resendEmail(id) });
  const isOpen = invoice.payment_status !== "succeeded" && invoice.total_due_amount_cents > 0;
  const more = [
    { label: "Create a credit note", dialog: "credit", refusal: mayCredit, isOffered: true },
    { label: "Write off", dialog: "write_off", refusal, isOffered: isOpen },
    {
      label: "The dispute is lost",
      dialog: "dispute",
      refusal,
      isOffered: invoice.payment_dispute_lost_at === null,
    },
    { label: "Void", dialog: "void", refusal, isOffered: invoice.payment_status !== "succeeded" },
  ] as const;
  return (
    <>
      <DocumentButton organization={organization} id={id} />
      {invoice.customer.email && (
        <Action variant="default" refusal={refusal} loading={send.isPending} onClick={() => send.mutate()}>
          {send.isSuccess ? "Queued" : "Email"}
        </Action>
      )}
      {isOpen && (
        <Action refusal={refusal} loading={pay.isPending} onClick={() => pay.mutate()}>
          Mark as paid
        </Action>
      )}
      <Suspense
        fallback={
          <Button variant="default" px={8} aria-label="More actions" disabled>
            <Ellipsis size={16} />
          </Button>
        }
      >
        <MoreActions actions={more.filter(({ isOffered }) => isOffered)} onChoose={setDialog} />
      </Suspense>
      <Problem error={pay.error ?? send.error} />
      {dialog && (
        <Suspense fallback={null}>
          <InvoiceDialog name={dialog} organization={organization} invoice={invoice} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

/** The link is made when it is needed: it is valid for seven days. */
function DocumentButton({ organization, id }: { organization: string; id: string }) {
  const open = useMutation({
    mutationFn: () => apiOf(organization).invoices.downloadPdf(id),
    onSuccess: ({ file_url: url }) => {
      if (url) window.open(url, "_blank", "noopener");
    },
  });
  useHotkeys([["p", () => open.mutate()]]);
  return (
    <>
      <Button variant="default" loading={open.isPending} onClick={() => open.mutate()}>
        PDF
      </Button>
      <Problem error={open.error} />
    </>
  );
}
