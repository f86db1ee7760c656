-- The ledger agrees with each invoice about the billed, prepaid, paid, written off, voided and due amounts. The due amount is owed; nothing
-- is owed on an invoice that is paid, written off or void.
with account as (
  select organization_id, account_id,
    coalesce(sum(amount_cents) filter (where account_kind = 'billed'), 0) as billed,
    coalesce(sum(amount_cents) filter (where account_kind = 'prepaid'), 0) as prepaid,
    coalesce(sum(amount_cents) filter (where account_kind = 'paid'), 0) as paid,
    coalesce(sum(amount_cents) filter (where account_kind = 'overpaid'), 0) as overpaid,
    coalesce(sum(amount_cents) filter (where account_kind = 'written_off'), 0) as written_off,
    coalesce(sum(amount_cents) filter (where account_kind = 'voided'), 0) as voided,
    coalesce(sum(amount_cents) filter (where account_kind = 'receivable'), 0) as receivable,
    coalesce(sum(amount_cents) filter (where account_kind = 'disputed'), 0) as disputed
  from ledger_entries
  where account_kind in ('billed', 'prepaid', 'paid', 'overpaid', 'written_off', 'voided', 'receivable', 'disputed')
  group by organization_id, account_id
)
select invoice.organization_id, invoice.id as invoice_id, due.cents as due_cents, account.receivable, account.disputed,
  invoice.paid_amount_cents, account.paid, account.written_off, account.voided
from invoices invoice
left join account on account.organization_id = invoice.organization_id and account.account_id = invoice.id
cross join lateral (
  select fees_amount_cents - coupons_amount_cents + taxes_amount_cents as cents
) as billed
cross join lateral (
  select case status when 'finalized'
    then greatest(total_amount_cents - paid_amount_cents - written_off_amount_cents, 0) else 0 end as cents
) as due
where invoice.has_receivable and (
  coalesce(account.billed, 0) <> -billed.cents
  or coalesce(account.prepaid, 0) <> case invoice.status when 'voided' then 0
    else invoice.credit_notes_amount_cents + invoice.prepaid_credit_amount_cents end
  or coalesce(account.voided, 0) <> case invoice.status when 'voided' then billed.cents else 0 end
  or coalesce(account.paid, 0) <> invoice.paid_amount_cents
  or coalesce(account.overpaid, 0)
    <> -greatest(invoice.paid_amount_cents + invoice.written_off_amount_cents - invoice.total_amount_cents, 0)
  or coalesce(account.written_off, 0) <> invoice.written_off_amount_cents
  or coalesce(account.receivable + account.disputed, 0) <> due.cents
  or (coalesce(account.disputed, 0) <> 0 and invoice.payment_dispute_lost_at is null)
  or (invoice.status = 'finalized' and invoice.payment_status = 'succeeded' and due.cents > 0)
)
union all
select account.organization_id, account.account_id, null, account.receivable, account.disputed, null, account.paid,
  account.written_off, account.voided
from account
where account.billed <> 0 and not exists (
  select from invoices invoice
  where invoice.organization_id = account.organization_id and invoice.id = account.account_id and invoice.has_receivable
) and not exists (
  select from fees fee
  where fee.organization_id = account.organization_id and fee.id = account.account_id and fee.has_receivable
)
