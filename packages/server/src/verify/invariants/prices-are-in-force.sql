-- A bill and its invoice have the prices that were in force at the end, or the beginning, of the billed period, unless an edit was applied
-- to the bill.
with priced as (
  select link.organization_id, link.invoice_id, link.bill_id, link.priced_plan_id as plan_id, link.priced_version, link.opening_version,
    link.repriced_at, bill.reason, bill.occurred_at, bill.created_at, customer.test_clock_id
  from invoice_bills link
  join bills bill on bill.organization_id = link.organization_id and bill.id = link.bill_id
  join customers customer on customer.organization_id = bill.organization_id and customer.id = bill.customer_id
  where link.priced_plan_id is not null
),
-- On the real clock, an edit becomes visible some time after its instant, so a minute is allowed.
versions as (
  select priced.*, version.version,
    case when priced.test_clock_id is null then coalesce(version.made_at, version.created_at) else stood.in_force_at end as in_force_at,
    case when priced.test_clock_id is null then interval '1 minute' else interval '0' end as allowance
  from priced
  join plan_versions version on version.organization_id = priced.organization_id and version.plan_id = priced.plan_id
  left join plan_version_clocks stood on stood.organization_id = version.organization_id and stood.plan_id = version.plan_id
    and stood.version = version.version and stood.test_clock_id = priced.test_clock_id
  where repriced_at is null
)
select organization_id, invoice_id, bill_id, plan_id, priced_version, opening_version, version, in_force_at
from versions
where (version > priced_version and in_force_at < occurred_at - allowance)
  or (version > opening_version and in_force_at < occurred_at - allowance)
  -- Work that is due at an instant never has a later price. A request has the prices of its own time, soon after the instant.
  or (version > 1 and version = priced_version and reason = 'periodic' and in_force_at >= occurred_at)
  or (version > 1 and version = opening_version and reason in ('periodic', 'trial_end') and in_force_at > occurred_at)
  or (version > 1 and version in (priced_version, opening_version) and in_force_at > case
    when test_clock_id is null then greatest(occurred_at, created_at) + allowance else occurred_at end)
union all
select priced.organization_id, priced.invoice_id, priced.bill_id, priced.plan_id, priced.priced_version, priced.opening_version,
  (made ->> 'planVersion')::integer, null
from priced
join invoices invoice on invoice.organization_id = priced.organization_id and invoice.id = priced.invoice_id
cross join jsonb_array_elements(invoice.made_from -> 'bills') as made
where invoice.status in ('finalized', 'voided') and made ->> 'billId' = priced.bill_id::text
  and (made ->> 'planId', made ->> 'planVersion', coalesce(made ->> 'openingVersion', made ->> 'planVersion'))
    is distinct from (priced.plan_id::text, priced.priced_version::text, priced.opening_version::text)
