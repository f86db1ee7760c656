-- A generating or draft invoice has one open due row of its customer for its next step, unless it is held, parked or skipped.
select invoice.organization_id, invoice.id as invoice_id, invoice.status, count(due.id) as due
from invoices invoice
left join due_instants due
  on due.organization_id = invoice.organization_id and due.subject_id = invoice.id and due.done_at is null
  and due.parked_at is null and due.customer_id = invoice.customer_id
  and due.kind = any (case invoice.status
    when 'generating' then array['invoice'] else array['invoice_finalization', 'invoice_closing'] end)
where invoice.status in ('generating', 'draft') and invoice.skipped_at is null and not exists (
  select from second_opinions held
  where held.organization_id = invoice.organization_id and held.invoice_id = invoice.id and held.released_at is null
) and not exists (
  select from due_instants parked
  where parked.organization_id = invoice.organization_id and parked.subject_id = invoice.id
    and (parked.parked_at is not null or parked.done_at is not null and exists (
      select from parked_items item
      where item.organization_id = parked.organization_id and item.item_id = parked.id and item.status = 'skipped'
    ))
)
group by invoice.organization_id, invoice.id
having count(due.id) <> 1
