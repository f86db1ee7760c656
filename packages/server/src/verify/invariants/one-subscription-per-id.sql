-- An external id has at most one active subscription and one that is pending to replace it, or one that is pending to start. All of them
-- belong to one customer.
select organization_id, array_agg(id order by id) as subscriptions, count(distinct customer_id) as customers
from subscriptions
where status in ('active', 'pending')
group by organization_id, external_id
having count(*) filter (where status = 'active') > 1
  or count(*) filter (where status = 'pending') > 1
  or count(distinct customer_id) > 1
  or count(*) > 1 and bool_or(status = 'pending' and origin = 'new')
