-- A settled wallet transaction moved its amount once, and an unsettled one moved nothing. A paid purchase is settled, unless its wallet had
-- ended or all of it was written off. The prepaid amount of an invoice is what it took from wallets. When the invoice is voided, that
-- amount returns to each wallet that has not ended.
select coalesce(t.organization_id, moved.organization_id) as organization_id, coalesce(t.id, moved.source_id) as transaction_id,
  t.invoice_id, t.status, t.amount_cents, moved.amount_cents as moved_cents
from wallet_transactions t
full join (
  select organization_id, account_id, source_id, count(*) as entries, sum(amount_cents) as amount_cents
  from ledger_entries where account_kind = 'wallet' and source_kind = 'wallet_transaction'
  group by organization_id, account_id, source_id
) as moved on moved.organization_id = t.organization_id and moved.account_id = t.wallet_id and moved.source_id = t.id
where t.id is null or case
  when t.status = 'settled' then (moved.entries, moved.amount_cents)
    is distinct from (1::bigint, case t.transaction_type when 'inbound' then t.amount_cents else -t.amount_cents end)
  else moved.entries is not null
end
union all
select t.organization_id, t.id, t.invoice_id, t.status, t.amount_cents, null
from wallet_transactions t
join invoices i on i.organization_id = t.organization_id and i.id = t.invoice_id and i.payment_status = 'succeeded'
join wallets w on w.organization_id = t.organization_id and w.id = t.wallet_id
where t.transaction_status = 'purchased' and t.status <> 'settled' and i.written_off_amount_cents < i.total_amount_cents
  and coalesce(t.failed_at < least(w.terminated_at, w.expiration_at), true)
union all
select i.organization_id, null, i.id, i.status, i.prepaid_credit_amount_cents, used.amount_cents
from invoices i
left join (
  select organization_id, invoice_id, sum(amount_cents) as amount_cents
  from wallet_transactions where transaction_status = 'invoiced'
  group by organization_id, invoice_id
) as used on used.organization_id = i.organization_id and used.invoice_id = i.id
where i.prepaid_credit_amount_cents <> coalesce(used.amount_cents, 0)
union all
select used.organization_id, used.id, i.id, i.status, used.amount_cents, back.amount_cents
from wallet_transactions used
join invoices i on i.organization_id = used.organization_id and i.id = used.invoice_id
join wallets w on w.organization_id = used.organization_id and w.id = used.wallet_id
left join wallet_transactions back
  on back.organization_id = used.organization_id and back.wallet_id = used.wallet_id and back.voided_invoice_id = used.invoice_id
where used.transaction_status = 'invoiced' and i.status = 'voided' and used.amount_cents is distinct from back.amount_cents
  and coalesce(least(w.terminated_at, w.expiration_at) > i.voided_at, true)
