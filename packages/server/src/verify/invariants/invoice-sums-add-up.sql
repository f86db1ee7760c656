-- The sums of invoices by state, which lists and the summary show, are those of the invoices.
select coalesce(c.organization_id, s.organization_id) as organization_id, coalesce(c.status, s.status) as status,
  coalesce(c.payment_status, s.payment_status) as payment_status, coalesce(c.currency, s.currency) as currency,
  c.invoices, s.invoices as summed, c.total_cents, s.total_cents as summed_total_cents, c.due_cents, s.due_cents as summed_due_cents
from (
  select organization_id, status, payment_status, payment_overdue, payment_dispute_lost_at is not null as is_dispute_lost, invoice_type,
    currency, count(*) as invoices, sum(total_amount_cents) as total_cents,
    sum(
      case
        when status <> 'finalized' or (payment_status = 'succeeded' and not has_receivable) then 0
        else greatest(total_amount_cents - paid_amount_cents - written_off_amount_cents, 0)
      end
    ) as due_cents
  from invoices where status <> 'generating'
  group by 1, 2, 3, 4, 5, 6, 7
) as c
full join (
  select organization_id, status, payment_status, payment_overdue, is_dispute_lost, invoice_type, currency, sum(invoices) as invoices,
    sum(total_amount_cents) as total_cents, sum(due_amount_cents) as due_cents
  from invoice_sums
  group by 1, 2, 3, 4, 5, 6, 7
) as s using (organization_id, status, payment_status, payment_overdue, is_dispute_lost, invoice_type, currency)
where (coalesce(c.invoices, 0), coalesce(c.total_cents, 0), coalesce(c.due_cents, 0))
  is distinct from (coalesce(s.invoices, 0), coalesce(s.total_cents, 0), coalesce(s.due_cents, 0))
