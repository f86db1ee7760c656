-- The balance of a credit note is the sum of its ledger account.
with account as (
  select organization_id, account_id, sum(amount_cents) as amount
  from ledger_entries
  where account_kind = 'credit_note'
  group by organization_id, account_id
)
select coalesce(note.organization_id, account.organization_id) as organization_id,
  coalesce(note.id, account.account_id) as credit_note_id, note.balance_amount_cents as balance, account.amount as in_ledger
from credit_notes note
full join account on account.organization_id = note.organization_id and account.account_id = note.id
where note.id is null or note.balance_amount_cents <> coalesce(account.amount, 0)
