-- The finalized invoices of a customer are numbered from 1 without a gap. Those of an organization have no gap from the start of its
-- series. Each number is used once, and the counters equal the last numbers.
with numbered as (
  select organization_id, 'invoices:' || customer_id as series, sequential_id as number, true as is_from_one
  from invoices where sequential_id is not null
  union all
  select organization_id, 'invoices', organization_sequential_id, false
  from invoices where organization_sequential_id is not null
),
given as (
  select organization_id, series, count(*), count(distinct number) as numbers, min(number) as first, max(number) as last,
    bool_or(is_from_one) as is_from_one
  from numbered
  group by organization_id, series
),
counter as (
  select organization_id, series, value from counters where series = 'invoices' or series like 'invoices:%'
)
select organization_id, series, coalesce(given.count, 0) as invoices, given.first, given.last, counter.value as counter
from given
full join counter using (organization_id, series)
where given.count is distinct from given.numbers
  or given.count is distinct from given.last - given.first + 1
  or given.is_from_one and given.first <> 1
  or given.last is distinct from counter.value
union all
select organization_id, 'numbers', count(*), null, null, null
from invoices
where number is not null
group by organization_id, number
having count(*) > 1
