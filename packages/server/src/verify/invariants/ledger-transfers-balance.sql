-- The entries of a transfer sum to 0 and have one owner and one customer. An account has no source twice.
select organization_id, transfer_id, null::uuid as account_id, sum(amount_cents) as amount_cents
from ledger_entries
group by organization_id, transfer_id
having sum(amount_cents) <> 0 or count(distinct currency) > 1 or count(distinct account_id) > 1 or count(distinct customer_id) > 1
union all
select organization_id, null, account_id, sum(amount_cents)
from ledger_entries
group by organization_id, account_kind, account_id, source_kind, source_id
having count(*) > 1
