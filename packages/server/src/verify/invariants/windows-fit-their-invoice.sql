-- The events that an invoice counted in a window are those it was computed from: for each metric once, with all filters and groups of each
-- charge.
with measured as (
  select invoice.organization_id, invoice.id as invoice_id, (bill ->> 'billId')::uuid as bill_id,
    (used ->> 'chargeId')::uuid as charge_id, sum((used ->> 'events')::numeric) as events
  from invoices invoice
  cross join jsonb_array_elements(invoice.made_from -> 'bills') as bill
  cross join jsonb_array_elements((bill -> 'inArrears') || (bill -> 'renewed')) as used
  group by invoice.organization_id, invoice.id, bill ->> 'billId', used ->> 'chargeId'
),
of_metrics as (
  select organization_id, invoice_id, bill_id, billable_metric_id, min(events) as fewest, max(events) as most
  from measured
  join charges using (organization_id)
  where charges.id = measured.charge_id
  group by organization_id, invoice_id, bill_id, billable_metric_id
)
select organization_id, invoice_id, bill_id, billable_metric_id, of_metrics.fewest, of_metrics.most, counted.events_counted
from of_metrics
full join counted_windows counted using (organization_id, invoice_id, bill_id, billable_metric_id)
where (of_metrics.fewest, of_metrics.most) is distinct from (counted.events_counted::numeric, counted.events_counted::numeric)
