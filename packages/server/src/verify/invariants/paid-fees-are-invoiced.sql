-- A fee that stands alone and was paid is not deleted; if it is to be invoiced and its subscription has ended, the invoice is due.
select fee.organization_id, fee.id as fee_id, fee.subscription_id, fee.deleted_at, fee.succeeded_at
from fees fee
left join subscriptions subscription
  on subscription.organization_id = fee.organization_id and subscription.id = fee.subscription_id
where fee.invoice_id is null and fee.payment_status = 'succeeded' and (
  fee.deleted_at is not null
  or fee.regroups and subscription.status = 'terminated' and not exists (
    select from due_instants due
    where due.organization_id = fee.organization_id and due.subject_id = fee.subscription_id
      and due.kind = 'late_fees_regrouping' and due.done_at is null and due.due_at >= fee.succeeded_at
  ) and not exists (
    select from bills bill
    join due_instants due on due.organization_id = bill.organization_id and due.subject_id = bill.id
      and due.kind = 'paid_fees_regrouping' and due.done_at is null and due.due_at >= fee.succeeded_at
    where bill.organization_id = fee.organization_id and bill.subscription_id = fee.subscription_id
  )
)
