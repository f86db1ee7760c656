/** What is asked before an invoice is voided, written off, or its dispute given up. */
import { TextInput } from "@mantine/core";
import type { InvoiceWithFees } from "@tallystick/client";
import { useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { money } from "../../format/money.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CreditNoteDialog } from "./credit-note-dialog.tsx";
import { useInvoiceChange } from "./use-invoice-change.ts";

type Props = { organization: string; invoice: InvoiceWithFees; onClose: () => void };

const DIALOGS = { credit: CreditNoteDialog, void: VoidDialog, write_off: WriteOffDialog, dispute: DisputeDialog };
export type InvoiceDialogName = keyof typeof DIALOGS;

export function InvoiceDialog({ name, ...props }: Props & { name: InvoiceDialogName }) {
  const Chosen = DIALOGS[name];
  return <Chosen {...props} />;
}

function VoidDialog({ organization, invoice, onClose }: Props) {
  const { svc_id: id, number, currency, total_amount_cents: total } = invoice;
  const change = useInvoiceChange(organization, id, { change: (api) => api.invoices.void(id), onDone: onClose });
  const back = [
    ["prepaid credits", invoice.prepaid_credit_amount_cents],
    ["credit notes", invoice.credit_notes_amount_cents],
    ["coupons", invoice.coupons_amount_cents],
  ] as const;
  const given = back.filter(([, amount]) => amount > 0);
  return (
    <Dialog
      title={`Void ${number}?`}
      effect={`Void ${number}`}
      isDanger
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={() => change.mutate()}
    >
      <p>
        {money(total, currency)} is no longer due. The number stays used, and the period is not billed again.
        {given.length > 0 &&
          ` What the invoice used is available again: ${given.map(([name, amount]) => `${money(amount, currency)} of ${name}`).join(", ")}.`}
      </p>
      <Problem error={change.error} />
    </Dialog>
  );
}

function WriteOffDialog({ organization, invoice, onClose }: Props) {
  const { svc_id: id, currency, total_due_amount_cents: due } = invoice;
  const [reason, setReason] = useState("");
  const change = useInvoiceChange(organization, id, {
    change: (api) => api.invoices.writeOff(id, { reason }),
    onDone: onClose,
  });
  return (
    <Dialog
      title="Write off what is due?"
      effect={`Write off ${money(due, currency)}`}
      isDanger
      isPending={change.isPending}
      isDisabled={reason.trim() === ""}
      onClose={onClose}
      onConfirm={() => change.mutate()}
    >
      <p>The invoice and its documents stay as they are. The amount is no longer due, and the invoice not overdue.</p>
      <TextInput
        label="Why it will not be paid"
        required
        withAsterisk={false}
        data-autofocus
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <Problem error={change.error} />
    </Dialog>
  );
}

function DisputeDialog({ organization, invoice, onClose }: Props) {
  const { svc_id: id, number } = invoice;
  const change = useInvoiceChange(organization, id, {
    change: (api) => api.invoices.loseDispute(id),
    onDone: onClose,
  });
  return (
    <Dialog
      title="Is the dispute lost?"
      effect="Mark the dispute as lost"
      isDanger
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={() => change.mutate()}
    >
      <p>The dispute of {number} stays lost: this cannot be taken back.</p>
      <Problem error={change.error} />
    </Dialog>
  );
}
