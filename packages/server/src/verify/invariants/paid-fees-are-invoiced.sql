-- If a subscription has ended, an invoice is due for its paid standalone fees that are to be invoiced, unless an operator skipped it.
select fee.organization_id, fee.id as fee_id, fee.subscription_id, fee.succeeded_at
from fees fee
join subscriptions subscription
  on subscription.organization_id = fee.organization_id and subscription.id = fee.subscription_id and subscription.status = 'terminated'
where fee.invoice_id is null and fee.payment_status = 'succeeded' and fee.deleted_at is null and fee.regroups and not exists (
  select from due_instants due
  where due.organization_id = fee.organization_id and due.subject_id = fee.subscription_id
    and due.kind = 'late_fees_regrouping' and due.done_at is null and due.due_at >= fee.succeeded_at
) and not exists (
  select from bills bill
  join due_instants due on due.organization_id = bill.organization_id and due.subject_id = bill.id
    and due.kind = 'paid_fees_regrouping' and due.done_at is null and due.due_at >= fee.succeeded_at
  where bill.organization_id = fee.organization_id and bill.subscription_id = fee.subscription_id
)
and not exists (
  select from parked_items item
  join due_instants due on due.organization_id = item.organization_id and due.id = item.item_id
  left join bills bill on bill.organization_id = due.organization_id and bill.id = due.subject_id
  where item.organization_id = fee.organization_id and item.status = 'skipped'
    and due.kind in ('late_fees_regrouping', 'paid_fees_regrouping') and due.due_at >= fee.succeeded_at
    and coalesce(bill.subscription_id, due.subject_id) = fee.subscription_id
)
