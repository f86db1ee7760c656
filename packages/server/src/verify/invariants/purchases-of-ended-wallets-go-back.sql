-- A purchase that is paid after its wallet ended is refunded, except for what was granted before the end or written off. A wallet that has
-- ended has no unpaid purchase that can be voided.
with bought as (
  select t.organization_id, coalesce(t.corrects_transaction_id, t.id) as lot_id, -sum(entry.amount_cents) as amount_cents
  from ledger_entries entry
  join wallet_transactions t on t.organization_id = entry.organization_id and t.id = entry.source_id
  where entry.account_kind = 'purchased' and entry.source_kind = 'wallet_transaction'
  group by t.organization_id, coalesce(t.corrects_transaction_id, t.id)
),
notes as (
  select note.organization_id, note.invoice_id, count(*) as notes,
    -- A note that takes credits out of the wallet refunds what was granted.
    coalesce(sum(note.refund_amount_cents) filter (where taken.id is null), 0) as refunded_cents
  from credit_notes note
  join invoices invoice
    on invoice.organization_id = note.organization_id and invoice.id = note.invoice_id and invoice.invoice_type = 'credit'
  left join wallet_transactions taken on taken.organization_id = note.organization_id and taken.credit_note_id = note.id
  group by note.organization_id, note.invoice_id
)
select lot.organization_id, lot.id as transaction_id, lot.wallet_id, lot.invoice_id, lot.status, invoice.payment_status, lot.amount_cents,
  coalesce(bought.amount_cents, 0) as bought_cents, lot.withheld_amount_cents as withheld_cents,
  coalesce(notes.refunded_cents, 0) as refunded_cents
from wallet_transactions lot
join wallets wallet on wallet.organization_id = lot.organization_id and wallet.id = lot.wallet_id and wallet.status <> 'active'
join invoices invoice on invoice.organization_id = lot.organization_id and invoice.id = lot.invoice_id and invoice.status = 'finalized'
left join bought on bought.organization_id = lot.organization_id and bought.lot_id = lot.id
left join notes on notes.organization_id = lot.organization_id and notes.invoice_id = lot.invoice_id
cross join lateral (
  select coalesce(bought.amount_cents, 0) + lot.withheld_amount_cents + coalesce(notes.refunded_cents, 0) as cents
) as accounted
where lot.transaction_status = 'purchased' and lot.corrects_transaction_id is null
  and case invoice.payment_status
    when 'succeeded' then lot.withheld_amount_cents > invoice.written_off_amount_cents or accounted.cents > lot.amount_cents
      -- If a payment bounced after its wallet expired but before the wallet was ended, its credits are lost.
      or (accounted.cents < lot.amount_cents and (lot.status <> 'settled' or wallet.expiration_at is null))
    else lot.status <> 'settled' and invoice.written_off_amount_cents = 0 and invoice.payment_dispute_lost_at is null
      and notes.notes is null
  end
