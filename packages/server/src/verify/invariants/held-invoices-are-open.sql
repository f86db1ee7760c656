-- A held invoice stays in its state before the step on which the two computations differ: not finalized, without a number.
select held.organization_id, held.invoice_id, held.step, invoice.status
from second_opinions held
join invoices invoice on invoice.organization_id = held.organization_id and invoice.id = held.invoice_id
where held.released_at is null
  and (invoice.status <> case held.step when 'issue' then 'generating' else 'draft' end or invoice.number is not null)
