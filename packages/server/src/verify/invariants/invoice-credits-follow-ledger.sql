-- Each coupon and credit note on an invoice is in the ledger once as used. If the invoice is voided, it is there once more as given back.
-- The ledger contains nothing else.
with shown as (
  select credit.organization_id, credit.owner_id, credit.invoice_id, source.kind, credit.amount_cents * source.sign as amount
  from invoice_credits credit
  join invoices invoice on invoice.organization_id = credit.organization_id and invoice.id = credit.invoice_id
  cross join (values ('invoice', 1), ('invoice_void', -1)) as source (kind, sign)
  where invoice.status = 'voided' or source.kind = 'invoice'
), moved as (
  select organization_id, account_id as owner_id, source_id as invoice_id, source_kind as kind, amount_cents as amount
  from ledger_entries
  where account_kind = 'invoiced' and source_kind in ('invoice', 'invoice_void') and account_id not in (
    select account_id from ledger_entries where account_kind = 'wallet'
  )
)
select coalesce(shown.organization_id, moved.organization_id) as organization_id, coalesce(shown.owner_id, moved.owner_id) as owner_id,
  coalesce(shown.invoice_id, moved.invoice_id) as invoice_id, shown.amount as shown, moved.amount as in_ledger
from shown
full join moved
  on moved.organization_id = shown.organization_id and moved.owner_id = shown.owner_id and moved.invoice_id = shown.invoice_id
  and moved.kind = shown.kind
where shown.amount is distinct from moved.amount
