-- Every bill is on exactly one invoice, unless it is parked or skipped. No two bills have the same subscription, reason and instant.
select bill.organization_id, bill.id as bill_id, bill.subscription_id, bill.reason, bill.occurred_at, count(link.invoice_id) as invoices,
  1::bigint as bills
from bills bill
left join invoice_bills link
  on link.organization_id = bill.organization_id and link.bill_id = bill.id and link.subscription_id = bill.subscription_id
where not exists (
  select from parked_items item
  where item.organization_id = bill.organization_id and item.source = 'bill' and item.item_id = bill.id
    and item.status in ('parked', 'skipped')
)
group by bill.organization_id, bill.id
having count(link.invoice_id) <> 1
union all
select organization_id, null, subscription_id, reason, occurred_at, null, count(*)
from bills
group by organization_id, subscription_id, reason, occurred_at
having count(*) > 1
