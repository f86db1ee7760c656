-- Every fee period has its fee on a bill. In arrears, it is billed when the period or the subscription ends, if its end is to be billed. In
-- advance, it is billed when the period begins, or when the trial ends that covered its beginning.
with periods as (
  select p.organization_id, p.subscription_id, p.starts_at, p.ends_at, v.terms -> 'pay_in_advance' = 'true' as is_in_advance,
    lag(p.starts_at) over life is null as is_first, lead(p.starts_at) over life is null as is_open,
    s.trial_ends_at is not null and s.trial_ends_at > p.starts_at as begins_in_trial,
    trial.due_at >= p.starts_at and trial.due_at < p.ends_at as ends_trial,
    -- The successor pays for the day of an upgrade, so an upgrade on the first day leaves no fee. Only core knows which local day that is.
    not (s.end_cause = 'ended' and s.on_termination_invoice = 'skip') and s.terminated_at > greatest(p.starts_at, s.started_at)
      + case s.end_cause when 'upgraded' then interval '3 days' else interval '0' end as is_cut
  from subscription_periods p
  join subscriptions s on s.organization_id = p.organization_id and s.id = p.subscription_id
  join plans on plans.organization_id = s.organization_id and plans.id = s.plan_id
  join plan_versions v
    on v.organization_id = plans.organization_id and v.plan_id = plans.id and v.version = plans.version
  left join due_instants trial
    on trial.organization_id = s.organization_id and trial.subject_id = s.id and trial.kind = 'trial_end'
    and trial.done_at is not null
  where p.kind = 'fee'
  window life as (partition by p.organization_id, p.subscription_id order by p.starts_at)
)
select p.organization_id, p.subscription_id, p.starts_at, p.ends_at, p.is_in_advance
from periods p
left join bills b
  on b.organization_id = p.organization_id and b.subscription_id = p.subscription_id and b.fee_from is not null
  and (b.reason = 'terminating' and p.is_open or b.reason <> 'terminating' and b.fee_to = p.ends_at)
where b.id is null and case
  when p.is_in_advance then p.ends_trial or not p.is_first and not p.begins_in_trial
  else not p.is_open or p.is_cut
end
