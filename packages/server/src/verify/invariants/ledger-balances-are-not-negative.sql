-- No balance is overspent: the remaining value of an owner, and the owed or paid amount of a document, is never below 0.
select organization_id, account_kind, account_id, sum(amount_cents) as amount_cents
from ledger_entries
where account_kind in (
  'coupon', 'credit_note', 'wallet', 'receivable', 'disputed', 'prepaid', 'paid', 'written_off', 'refunded', 'regrouped'
)
group by organization_id, account_kind, account_id
having sum(amount_cents) < 0
