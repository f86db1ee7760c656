-- Credits are taken from granted lots before purchased ones, oldest first; a refund takes from the lot that it refunds. Clocks may differ a
-- little, so a lot counts only if it existed 5 seconds before.
with taken as (
  select t.organization_id, t.id, t.wallet_id, t.created_at, lot.id as lot_id, lot.transaction_status = 'purchased' as is_purchased,
    lot.created_at as lot_created_at
  from wallet_transactions t
  join wallet_lot_movements moved
    on moved.organization_id = t.organization_id and moved.transaction_id = t.id and moved.amount_cents < 0
  join wallet_transactions lot on lot.organization_id = moved.organization_id and lot.id = moved.lot_id
  where t.transaction_status in ('invoiced', 'voided') and t.credit_note_id is null and t.corrects_transaction_id is null
)
select taken.organization_id, taken.wallet_id, taken.id as transaction_id, taken.lot_id, first.id as first_lot_id, rest.amount_cents
from taken
join wallet_transactions first on first.organization_id = taken.organization_id and first.wallet_id = taken.wallet_id
  and first.id <> taken.lot_id and first.transaction_type = 'inbound' and first.status = 'settled'
  and first.voided_invoice_id is null and first.corrects_transaction_id is null
  and coalesce(first.settled_at, first.created_at) < taken.created_at - interval '5 seconds'
  and case when (first.transaction_status = 'purchased') = taken.is_purchased
    then first.created_at < taken.lot_created_at - interval '5 seconds' else taken.is_purchased end
cross join lateral (
  -- The least that was left in the lot: debits at about the same time count as earlier, returns as later.
  select first.amount_cents + coalesce(sum(moved.amount_cents), 0) as amount_cents
  from wallet_lot_movements moved
  join wallet_transactions t on t.organization_id = moved.organization_id and t.id = moved.transaction_id
  where moved.organization_id = first.organization_id and moved.lot_id = first.id
    and t.created_at < taken.created_at + case when moved.amount_cents < 0 then interval '5 seconds' else interval '-5 seconds' end
) as rest
where rest.amount_cents > 0
union all
select t.organization_id, t.wallet_id, t.id, lot.id, null, moved.amount_cents
from wallet_transactions t
join credit_notes note on note.organization_id = t.organization_id and note.id = t.credit_note_id
join wallet_lot_movements moved on moved.organization_id = t.organization_id and moved.transaction_id = t.id
join wallet_transactions lot on lot.organization_id = moved.organization_id and lot.id = moved.lot_id
where lot.invoice_id is distinct from note.invoice_id
