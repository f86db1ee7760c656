-- Nobody spends more than there is: what an owner has left, and what is owed or paid of a document, is never below 0.
select organization_id, account_kind, account_id, sum(amount_cents) as amount_cents
from ledger_entries
where account_kind in (
  'coupon', 'credit_note', 'wallet', 'receivable', 'disputed', 'prepaid', 'paid', 'written_off', 'refunded', 'regrouped'
)
group by organization_id, account_kind, account_id
having sum(amount_cents) < 0
