-- A void invoice has no credit note that can be spent, was ever spent, or was refunded, even if the note was voided later. A pending refund
-- counts as refunded; a failed one does not.
select invoice.organization_id, invoice.id as invoice_id, note.id as credit_note_id, note.credit_status, note.refund_status, spent.invoices
from invoices invoice
join credit_notes note on note.organization_id = invoice.organization_id and note.invoice_id = invoice.id
cross join lateral (
  select count(*) as invoices from ledger_entries entry
  where entry.organization_id = note.organization_id and entry.account_kind = 'credit_note' and entry.account_id = note.id
    and entry.source_kind = 'invoice'
) as spent
where invoice.status = 'voided'
  and (note.credit_status in ('available', 'consumed') or note.refund_status in ('pending', 'succeeded') or spent.invoices > 0)
