-- The rest of a lot is its amount, less what transactions took, plus what they returned; it is 0 once its wallet has ended. Every debit of
-- a wallet is taken from its lots, and every return goes back to them.
select lot.organization_id, lot.id as transaction_id, lot.wallet_id, lot.remaining_amount_cents as shown_cents,
  lot.amount_cents + coalesce(moved.amount_cents, 0) as moved_cents
from wallet_transactions lot
join wallets w on w.organization_id = lot.organization_id and w.id = lot.wallet_id
left join (
  select organization_id, lot_id, sum(amount_cents) as amount_cents from wallet_lot_movements group by organization_id, lot_id
) as moved on moved.organization_id = lot.organization_id and moved.lot_id = lot.id
where lot.transaction_type = 'inbound' and lot.status = 'settled'
  and lot.voided_invoice_id is null and lot.corrects_transaction_id is null
  and lot.remaining_amount_cents
    <> case w.status when 'active' then lot.amount_cents + coalesce(moved.amount_cents, 0) else 0 end
union all
select t.organization_id, t.id, t.wallet_id, t.amount_cents, moved.amount_cents
from wallet_transactions t
left join (
  select m.organization_id, m.transaction_id, sum(m.amount_cents) as amount_cents, count(*) filter (where lot.wallet_id <> t.wallet_id) as strays
  from wallet_lot_movements m
  join wallet_transactions lot on lot.organization_id = m.organization_id and lot.id = m.lot_id
  join wallet_transactions t on t.organization_id = m.organization_id and t.id = m.transaction_id
  group by m.organization_id, m.transaction_id
) as moved on moved.organization_id = t.organization_id and moved.transaction_id = t.id
where (moved.amount_cents, moved.strays) is distinct from case
  when t.transaction_type = 'outbound' then (-t.amount_cents::numeric, 0::bigint)
  when t.voided_invoice_id is not null or t.corrects_transaction_id is not null then (t.amount_cents::numeric, 0::bigint)
  else (null::numeric, null::bigint)
end
