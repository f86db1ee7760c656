-- Every finalized invoice and every standalone fee has a receivable. Documents of an earlier release may lack one until the job that opens
-- them has finished.
select document.organization_id, document.invoice_id, document.fee_id
from (
  select organization_id, id as invoice_id, null::uuid as fee_id
  from invoices where status in ('finalized', 'voided') and not has_receivable
  union all
  select organization_id, null, id
  from fees where invoice_id is null and deleted_at is null and not has_receivable
) as document
where not exists (
  select from receivable_openings opening
  where opening.organization_id = document.organization_id and opening.finished_at is null
)
