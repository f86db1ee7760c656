-- The customers of an organization are numbered from 1 without a gap, and its counter equals the last number.
select organization_id, coalesce(customers.count, 0) as customers, customers.first, customers.last, counter.value as counter
from (
  select organization_id, count(*), count(distinct sequential_id) as numbers, min(sequential_id) as first,
    max(sequential_id) as last
  from customers
  group by organization_id
) as customers
full join (select organization_id, value from counters where series = 'customers') as counter using (organization_id)
where coalesce(customers.count, 0) <> coalesce(customers.numbers, 0)
  or coalesce(customers.count, 0) <> coalesce(customers.last, 0)
  or coalesce(customers.first, 1) <> 1
  or coalesce(customers.last, 0) <> coalesce(counter.value, 0)
