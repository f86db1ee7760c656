-- Every due step of a subscription that is marked as done took effect at its instant, and every downgrade that happened was due.
select d.organization_id, d.subject_id as subscription_id, d.kind, d.due_at, s.status, s.end_cause
from due_instants d
left join subscriptions s on s.organization_id = d.organization_id and s.id = d.subject_id
where d.done_at is not null and case d.kind
  when 'activation' then s.started_at is null or s.started_at < d.due_at
  when 'ending' then (s.terminated_at, s.end_cause) is distinct from (d.due_at, 'ended')
  when 'downgrade' then (s.terminated_at, s.end_cause) is distinct from (d.due_at, 'downgraded')
  when 'trial_end' then s.trial_ended_at is distinct from d.due_at
  else false
end
union all
select s.organization_id, s.id, 'downgrade', s.terminated_at, s.status, s.end_cause
from subscriptions s
where s.end_cause = 'downgraded' and not exists (
  select from due_instants d
  where d.organization_id = s.organization_id and d.subject_id = s.id and d.kind = 'downgrade'
    and d.due_at = s.terminated_at and d.done_at is not null
)
