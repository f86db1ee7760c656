-- Each future step of a subscription has exactly one open row with the right customer and clock: its activation, its end, a pending
-- downgrade, and the end of the open period and of the trial. No other step is scheduled.
with expected as (
  select s.organization_id, s.id as subject_id, due.kind, due.rank, due.at as due_at, s.customer_id, c.test_clock_id
  from subscriptions s
  join customers c on c.organization_id = s.organization_id and c.id = s.customer_id
  left join subscriptions n
    on n.organization_id = s.organization_id and n.previous_subscription_id = s.id and n.status = 'pending'
  left join (
    select organization_id, subscription_id, max(ends_at) as ends_at from subscription_periods where kind = 'charges'
    group by organization_id, subscription_id
  ) as open on open.organization_id = s.organization_id and open.subscription_id = s.id
  cross join lateral (
    values
      ('activation', 10, s.status = 'pending' and s.origin = 'new', s.subscription_at),
      ('ending', 30, s.status = 'active', s.ending_at),
      -- Nothing else happens at the end or after it.
      ('downgrade', 40, s.status = 'active' and n.takes_over_at < coalesce(s.ending_at, 'infinity'), n.takes_over_at),
      -- A downgrade bills the period that ends with it.
      ('period_end', 50, s.status = 'active' and open.ends_at < coalesce(s.ending_at, 'infinity')
        and open.ends_at is distinct from n.takes_over_at, open.ends_at),
      ('trial_end', 60, s.status = 'active' and s.trial_ended_at is null
        and s.trial_ends_at < coalesce(s.ending_at, 'infinity'), s.trial_ends_at)
  ) as due (kind, rank, is_due, at)
  where due.is_due and due.at is not null
),
waiting as (
  select organization_id, subject_id, kind, rank, due_at, customer_id, test_clock_id
  from due_instants
  where done_at is null and kind in ('activation', 'ending', 'downgrade', 'period_end', 'trial_end')
)
select organization_id, subject_id as subscription_id, kind, due_at,
  case
    when waiting.rank is null then 'it is not scheduled'
    when expected.rank is null then 'it is scheduled and has no reason to happen'
    else 'it is scheduled for another customer or clock, or in another order'
  end as fault
from expected
full join waiting using (organization_id, subject_id, kind, due_at)
where (expected.rank, expected.customer_id, expected.test_clock_id)
  is distinct from (waiting.rank::int, waiting.customer_id, waiting.test_clock_id)
