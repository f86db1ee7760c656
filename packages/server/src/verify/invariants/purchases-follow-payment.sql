-- A settled purchase of credits has a paid invoice that is not void, or it is marked as bounced and all its unspent credits left the
-- wallet. Until a purchase is settled, all of it is withheld. After that, the withheld amount is what bounces removed and payments did not
-- restore; once it is paid, no more than was written off. A purchase on a void invoice is not spent.
with taken as (
  select correction.organization_id, moved.lot_id, -sum(moved.amount_cents) as amount_cents
  from wallet_transactions correction
  join wallet_lot_movements moved
    on moved.organization_id = correction.organization_id and moved.transaction_id = correction.id
  where correction.corrects_transaction_id is not null
  group by correction.organization_id, moved.lot_id
),
-- What the wallet received for a purchase according to the ledger, less reversals.
bought as (
  select t.organization_id, coalesce(t.corrects_transaction_id, t.id) as lot_id, -sum(entry.amount_cents) as amount_cents
  from ledger_entries entry
  join wallet_transactions t on t.organization_id = entry.organization_id and t.id = entry.source_id
  where entry.account_kind = 'purchased' and entry.source_kind = 'wallet_transaction'
  group by t.organization_id, coalesce(t.corrects_transaction_id, t.id)
),
-- What invoices, manual voids and refunds took from a lot and did not return, and the part of it on invoices that are not void.
used as (
  select moved.organization_id, moved.lot_id, -sum(moved.amount_cents) as amount_cents,
    -coalesce(sum(moved.amount_cents) filter (where t.transaction_status = 'invoiced' and invoice.status <> 'voided'), 0) as spent_cents
  from wallet_lot_movements moved
  join wallet_transactions t on t.organization_id = moved.organization_id and t.id = moved.transaction_id
  left join invoices invoice on invoice.organization_id = t.organization_id and invoice.id = t.invoice_id
  where t.corrects_transaction_id is null
  group by moved.organization_id, moved.lot_id
),
purchases as (
  select lot.organization_id, lot.id as transaction_id, lot.wallet_id, lot.invoice_id, invoice.status as invoice_status,
    invoice.payment_status, lot.remaining_amount_cents as remaining_cents, lot.withheld_amount_cents as withheld_cents,
    case lot.status when 'settled' then coalesce(taken.amount_cents, 0) else lot.amount_cents end as expected_cents,
    coalesce(bought.amount_cents, 0) as bought_cents, coalesce(used.amount_cents, 0) as used_cents,
    coalesce(used.spent_cents, 0) as spent_cents, invoice.written_off_amount_cents as written_off_cents, lot.bounced_at,
    lot.status = 'settled' as is_settled, invoice.payment_status = 'succeeded' and invoice.status = 'finalized' as is_paid,
    -- A purchase from before lots existed keeps its credits until its payment changes.
    lot.predates_lots and invoice.status = 'finalized' as is_exempt,
    wallet.status = 'active' as is_active, wallet.expiration_at is not null as can_expire,
    -- Credits in a wallet are lost when it ends, so a payment that bounces later has nothing to reverse.
    wallet.status = 'active' or lot.bounced_at < least(wallet.terminated_at, wallet.expiration_at) as is_reversible
  from wallet_transactions lot
  join invoices invoice on invoice.organization_id = lot.organization_id and invoice.id = lot.invoice_id
  join wallets wallet on wallet.organization_id = lot.organization_id and wallet.id = lot.wallet_id
  left join taken on taken.organization_id = lot.organization_id and taken.lot_id = lot.id
  left join bought on bought.organization_id = lot.organization_id and bought.lot_id = lot.id
  left join used on used.organization_id = lot.organization_id and used.lot_id = lot.id
  where lot.transaction_status = 'purchased' and lot.corrects_transaction_id is null
),
judged as (
  select *, case
      when is_settled and not is_paid and not is_exempt and (remaining_cents > 0 or bounced_at is null)
        then 'it is not paid, and holds credits or is not marked as bounced'
      when is_settled and not is_paid and not is_exempt and is_reversible and bought_cents <> used_cents
        then 'it is not paid, and its reversal is not what was left of it'
      when bounced_at is not null and payment_status = 'succeeded' then 'it is paid, and marked as bounced'
      when invoice_status = 'voided' and spent_cents > 0 then 'its invoice is void, and its credits are spent'
      when is_paid and is_active and withheld_cents > written_off_cents then 'it is paid, and its credits are withheld'
      when withheld_cents > expected_cents then 'more is withheld than left the wallet'
      -- A payment for a wallet that has ended is refunded, and no longer withheld.
      when withheld_cents < expected_cents and is_active and not can_expire then 'less is withheld than left the wallet'
    end as fault
  from purchases
)
select organization_id, transaction_id, wallet_id, invoice_id, invoice_status, payment_status, remaining_cents, withheld_cents,
  expected_cents, bought_cents, used_cents, fault
from judged
where fault is not null
