-- The written-off amount of an invoice is the sum of its write-offs, less later payments, and never more than its total.
select coalesce(i.organization_id, written.organization_id) as organization_id, coalesce(i.id, written.invoice_id) as invoice_id,
  i.total_amount_cents, i.written_off_amount_cents, written.amount_cents as write_offs_cents, recovered.amount_cents as recovered_cents
from invoices i
full join (
  select organization_id, invoice_id, sum(amount_cents) as amount_cents
  from invoice_write_offs group by organization_id, invoice_id
) as written on written.organization_id = i.organization_id and written.invoice_id = i.id
left join (
  select organization_id, account_id, -sum(amount_cents) as amount_cents
  from ledger_entries where account_kind = 'written_off' and source_kind = 'payment'
  group by organization_id, account_id
) as recovered on recovered.organization_id = i.organization_id and recovered.account_id = i.id
where i.id is null
  or i.written_off_amount_cents <> coalesce(written.amount_cents, 0) - coalesce(recovered.amount_cents, 0)
  or i.written_off_amount_cents > i.total_amount_cents
