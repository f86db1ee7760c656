-- An hour after a plan was deleted, it has no active or pending subscription, and none of its drafts waits for the end of a grace period.
with deleted as (
  select distinct own.organization_id, own.id
  from plans gone
  join plans own on own.organization_id = gone.organization_id and gone.id in (own.id, own.parent_id)
  where gone.deleted_at < current_setting('verify.now')::timestamptz - interval '1 hour'
)
select s.organization_id, s.plan_id, s.id as subscription_id, null::uuid as invoice_id, s.status
from deleted
join subscriptions s on s.organization_id = deleted.organization_id and s.plan_id = deleted.id
where s.status in ('active', 'pending')
union all
select s.organization_id, s.plan_id, s.id, invoice.id, invoice.status
from deleted
join subscriptions s on s.organization_id = deleted.organization_id and s.plan_id = deleted.id
join invoice_bills link on link.organization_id = s.organization_id and link.subscription_id = s.id
join invoices invoice
  on invoice.organization_id = link.organization_id and invoice.id = link.invoice_id and invoice.status = 'draft'
join due_instants due on due.organization_id = invoice.organization_id and due.subject_id = invoice.id
  and due.kind = 'invoice_finalization' and due.done_at is null and due.parked_at is null
left join test_clocks clock on clock.organization_id = due.organization_id and clock.id = due.test_clock_id
where due.due_at > coalesce(clock.now, current_setting('verify.now')::timestamptz)
