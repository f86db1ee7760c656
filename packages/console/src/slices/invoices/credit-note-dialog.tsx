/** Gives back a part of an invoice, line by line, within what can still be given back. */
import { SegmentedControl } from "@mantine/core";
import type { CreditNoteCreate, InvoiceWithFees } from "@tallystick/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { majorText, minorOf, money } from "../../format/money.ts";
import { Dialog } from "../../ui/dialog.tsx";
import classes from "./credit-note-dialog.module.css";

type Props = { organization: string; invoice: InvoiceWithFees; onClose: () => void };
type Amounts = Readonly<Record<string, string>>;

export function CreditNoteDialog({ organization, invoice, onClose }: Props) {
  const { svc_id: id, currency, fees, customer } = invoice;
  const queryClient = useQueryClient();
  const [kind, setKind] = useState<"credit" | "refund">("credit");
  const [amounts, setAmounts] = useState<Amounts>(() =>
    Object.fromEntries(fees.map(({ svc_id, amount_cents }) => [svc_id, majorText(amount_cents, currency)])),
  );
  const items = itemsOf(amounts, currency);
  const estimate = useQuery({
    queryKey: ["credit-notes", organization, "estimate", id, items],
    queryFn: () => apiOf(organization).creditNotes.estimate({ invoice_id: id, items: items ?? [] }),
    enabled: items !== undefined && items.length > 0,
    retry: false,
  });
  const { max_creditable_amount_cents: creditable, max_refundable_amount_cents: refundable } = estimate.data ?? {};
  const total = kind === "credit" ? creditable : refundable;
  const create = useMutation({
    mutationFn: () =>
      apiOf(organization).creditNotes.create(noteOf({ id, items: items ?? [], kind, total: total ?? 0 })),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["credit-notes", organization] });
      await queryClient.invalidateQueries({ queryKey: ["invoices", organization] });
    },
  });
  return (
    <Dialog
      title="Credit note"
      size={520}
      effect={total ? `${kind === "credit" ? "Credit" : "Refund"} ${money(total, currency)}` : "Create"}
      isPending={create.isPending}
      isDisabled={!total}
      onClose={onClose}
      onConfirm={() => create.mutate()}
    >
      <SegmentedControl
        aria-label="What the customer gets"
        data={[
          { value: "credit", label: "Credit for later invoices" },
          { value: "refund", label: "Refund" },
        ]}
        value={kind}
        onChange={(value) => setKind(value === "refund" ? "refund" : "credit")}
      />
      <table className={classes.lines}>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Billed</th>
            <th scope="col">Give back, {currency}</th>
          </tr>
        </thead>
        <tbody>
          {fees.map(({ svc_id, item, filter_invoice_display_name: filter, amount_cents }) => {
            const name = [item.invoice_display_name || item.name, filter].filter(Boolean).join(" · ");
            return (
              <tr key={svc_id}>
                <td>{name}</td>
                <td>{money(amount_cents, currency)}</td>
                <td>
                  <input
                    className={classes.amount}
                    inputMode="decimal"
                    aria-label={`Give back of ${name}`}
                    value={amounts[svc_id] ?? ""}
                    onChange={({ currentTarget }) => setAmounts({ ...amounts, [svc_id]: currentTarget.value })}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p role="status">{sentence({ items, total, kind, customer: customer.name ?? customer.external_id })}</p>
      <Problem error={create.error ?? (items?.length ? estimate.error : null)} />
    </Dialog>
  );
}

/** Undefined if a field holds no amount. Empty fields and zeros give back nothing. */
function itemsOf(amounts: Amounts, currency: string): CreditNoteCreate["items"] | undefined {
  const items = Object.entries(amounts).map(([fee_id, text]) => ({
    fee_id,
    amount_cents: text.trim() === "" ? 0 : minorOf(text, currency),
  }));
  const isWhole = (item: (typeof items)[number]): item is { fee_id: string; amount_cents: number } =>
    item.amount_cents !== undefined;
  return items.every(isWhole) ? items.filter(({ amount_cents }) => amount_cents > 0) : undefined;
}

function noteOf({
  id,
  items,
  kind,
  total,
}: { id: string; kind: string; total: number } & Pick<CreditNoteCreate, "items">) {
  const amount = kind === "credit" ? { credit_amount_cents: total } : { refund_amount_cents: total };
  return { invoice_id: id, reason: "other" as const, items, ...amount };
}

type Said = { items: unknown[] | undefined; total: number | undefined; kind: string; customer: string };

function sentence({ items, total, kind, customer }: Said): string {
  if (!items) return "An amount is written with digits and a point, like 12.50.";
  if (items.length === 0) return "Enter an amount for at least one line.";
  if (total === 0)
    return kind === "refund"
      ? "Nothing can be refunded: only what was paid can. Credit it instead."
      : "Nothing of these lines is left to credit.";
  return kind === "credit"
    ? `With taxes, and less coupons. The next invoices of ${customer} use it first.`
    : `With taxes, and less coupons. Pay it back to ${customer} outside of Tallystick.`;
}
