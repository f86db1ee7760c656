-- The ledger has the refunds of the credit notes: the whole amount of a refund that succeeded, and nothing otherwise.
with account as (
  select organization_id, account_id, sum(amount_cents) as refunded
  from ledger_entries
  where account_kind = 'refunded'
  group by organization_id, account_id
)
select note.organization_id, note.id as credit_note_id, note.refund_status, note.refund_amount_cents, account.refunded
from credit_notes note
left join account on account.organization_id = note.organization_id and account.account_id = note.id
where coalesce(account.refunded, 0) <> case note.refund_status when 'succeeded' then note.refund_amount_cents else 0 end
