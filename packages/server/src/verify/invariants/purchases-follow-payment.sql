-- A purchase of credits that is not paid holds nothing, and is marked as bounced if it was settled before; one that is paid is not. What
-- is withheld of it is all of it until it is settled, then what bounces took out of its wallet and payments did not give back.
select lot.organization_id, lot.id as transaction_id, lot.invoice_id, invoice.payment_status, lot.remaining_amount_cents,
  lot.withheld_amount_cents, expected.withheld as expected_cents
from wallet_transactions lot
join invoices invoice on invoice.organization_id = lot.organization_id and invoice.id = lot.invoice_id
join wallets wallet on wallet.organization_id = lot.organization_id and wallet.id = lot.wallet_id
left join (
  select correction.organization_id, moved.lot_id, -sum(moved.amount_cents) as amount_cents
  from wallet_transactions correction
  join wallet_lot_movements moved
    on moved.organization_id = correction.organization_id and moved.transaction_id = correction.id
  where correction.corrects_transaction_id is not null
  group by correction.organization_id, moved.lot_id
) as taken on taken.organization_id = lot.organization_id and taken.lot_id = lot.id
cross join lateral (
  select case lot.status when 'settled' then coalesce(taken.amount_cents, 0) else lot.amount_cents end as withheld
) as expected
where lot.transaction_status = 'purchased' and lot.corrects_transaction_id is null and (
  (
    lot.status = 'settled' and invoice.payment_status <> 'succeeded' and not lot.predates_lots
    and (lot.remaining_amount_cents > 0 or lot.bounced_at is null)
  )
  or (lot.bounced_at is not null and invoice.payment_status = 'succeeded')
  -- What is paid for a wallet that has ended is refunded, and no longer withheld.
  or lot.withheld_amount_cents > expected.withheld
  or (lot.withheld_amount_cents < expected.withheld and wallet.status = 'active' and wallet.expiration_at is null)
)
