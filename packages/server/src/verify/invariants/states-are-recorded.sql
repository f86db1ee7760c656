-- The last recorded change of a state leads to the state as it is, and each change begins where the one before it ended.
with changes as (
  select organization_id, id, kind, subject_id, before, after,
    lag(id) over subject as previous, lag(after) over subject as state_before, lead(id) over subject as next
  from state_changes
  window subject as (partition by organization_id, kind, subject_id order by id)
)
select c.organization_id, c.id as state_change, c.kind, c.subject_id
from changes c
left join invoices i on i.organization_id = c.organization_id and i.id = c.subject_id and c.kind like 'invoice\_%'
left join fees f on f.organization_id = c.organization_id and f.id = c.subject_id and c.kind = 'fee_payment_status'
left join subscriptions s on s.organization_id = c.organization_id and s.id = c.subject_id and c.kind = 'subscription_plan'
where (c.previous is not null and c.before is distinct from c.state_before)
  or (
    c.next is null and coalesce(i.id, f.id, s.id) is not null
    and c.after is distinct from case c.kind
      when 'invoice_payment_status' then i.payment_status
      when 'invoice_overdue' then i.payment_overdue::text
      when 'invoice_dispute' then case when i.payment_dispute_lost_at is not null then 'lost' end
      when 'invoice_void' then i.status
      when 'fee_payment_status' then f.payment_status
      when 'subscription_plan' then s.plan_id::text
    end
  )
