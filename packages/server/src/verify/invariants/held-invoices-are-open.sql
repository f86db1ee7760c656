-- An invoice that is held is as it was before the step that two computations disagree on: not final, without a number.
select held.organization_id, held.invoice_id, held.step, invoice.status
from second_opinions held
join invoices invoice on invoice.organization_id = held.organization_id and invoice.id = held.invoice_id
where held.released_at is null
  and (invoice.status <> case held.step when 'issue' then 'generating' else 'draft' end or invoice.number is not null)
