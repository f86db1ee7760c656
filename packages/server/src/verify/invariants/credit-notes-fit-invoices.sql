-- Credit notes never exceed what they credit, and refunds never exceed the amount to be paid. The notes of an invoice are numbered 1 to n,
-- and each was published once.
select note.organization_id, note.invoice_id, null::uuid as fee_id, null::uuid as credit_note_id, sum(note.total_amount_cents) as credited
from credit_notes note
join invoices invoice on invoice.organization_id = note.organization_id and invoice.id = note.invoice_id
group by note.organization_id, note.invoice_id, invoice.organization_id, invoice.id
having sum(note.total_amount_cents) > max(invoice.fees_amount_cents - invoice.coupons_amount_cents + invoice.taxes_amount_cents)
  or sum(note.refund_amount_cents) > max(invoice.total_amount_cents) or max(note.sequential_id) <> count(*)
union all
select item.organization_id, null, item.fee_id, null, sum(item.amount_cents)
from credit_note_items item
join fees fee on fee.organization_id = item.organization_id and fee.id = item.fee_id
group by item.organization_id, item.fee_id
having sum(item.amount_cents) > max(fee.amount_cents)
union all
select note.organization_id, null, null, note.id, null
from credit_notes note
where 1 <> (
  select count(*) from outbox
  where organization_id = note.organization_id and object_id = note.id and webhook_type = 'credit_note.created'
)
