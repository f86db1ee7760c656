-- The expiration of an active wallet and the next day of an active interval rule each have one open due row. Nothing else is scheduled.
with expected as (
  select organization_id, id as subject_id, 'wallet_expiry' as kind, expiration_at as due_at
  from wallets where status = 'active' and expiration_at is not null
  union all
  -- Only core knows which local day that is.
  select organization_id, id, 'wallet_top_up', null from wallet_rules where status = 'active' and trigger = 'interval'
),
waiting as (
  select organization_id, subject_id, kind, count(*) as times, min(due_at) as due_at
  from due_instants
  where done_at is null and kind in ('wallet_expiry', 'wallet_top_up') and (parked_at is null or kind = 'wallet_expiry')
  group by organization_id, subject_id, kind
)
select organization_id, subject_id, kind, expected.due_at as expected_at, waiting.due_at, waiting.times
from expected
full join waiting using (organization_id, subject_id, kind)
where expected.kind is null or waiting.times is distinct from 1 or coalesce(expected.due_at <> waiting.due_at, false)
