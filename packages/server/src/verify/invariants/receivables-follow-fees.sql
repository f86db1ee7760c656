-- The ledger agrees with each standalone fee: the fee is owed until it is paid or deleted, and its payment moves to the invoice that
-- regroups it.
with account as (
  select organization_id, account_id,
    coalesce(sum(amount_cents) filter (where account_kind = 'billed'), 0) as billed,
    coalesce(sum(amount_cents) filter (where account_kind = 'receivable'), 0) as receivable,
    coalesce(sum(amount_cents) filter (where account_kind = 'paid'), 0) as paid,
    coalesce(sum(amount_cents) filter (where account_kind = 'refunded'), 0) as refunded,
    coalesce(sum(amount_cents) filter (where account_kind = 'regrouped'), 0) as regrouped,
    coalesce(sum(amount_cents) filter (where account_kind = 'voided'), 0) as voided
  from ledger_entries
  where account_kind in ('billed', 'receivable', 'paid', 'refunded', 'regrouped', 'voided')
  group by organization_id, account_id
)
select fee.organization_id, fee.id as fee_id, owed.cents, fee.payment_status, account.receivable, account.paid, account.refunded,
  account.regrouped, account.voided
from fees fee
left join account on account.organization_id = fee.organization_id and account.account_id = fee.id
cross join lateral (
  select fee.amount_cents + fee.taxes_amount_cents as cents, fee.invoice_id is null as is_alone,
    fee.payment_status in ('succeeded', 'refunded') as is_paid
) as owed
where fee.has_receivable and (
  coalesce(account.billed, 0) <> -owed.cents
  or coalesce(account.receivable, 0)
    <> case when owed.is_alone and not owed.is_paid and fee.deleted_at is null then owed.cents else 0 end
  or coalesce(account.paid, 0) <> case when owed.is_alone and owed.is_paid then owed.cents else 0 end
  or coalesce(account.refunded, 0)
    <> case when owed.is_alone and fee.payment_status = 'refunded' then owed.cents else 0 end
  or coalesce(account.regrouped, 0) <> case when owed.is_alone then 0 else owed.cents end
  or coalesce(account.voided, 0) <> case when fee.deleted_at is null then 0 else owed.cents end
)
