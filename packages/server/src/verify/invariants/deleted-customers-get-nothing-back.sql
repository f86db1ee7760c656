-- If an invoice is voided after its customer was deleted, its credits stay lost: no credit note and no wallet of the customer gets them
-- back.
select entry.organization_id, customer.id as customer_id, entry.account_kind, entry.account_id, entry.amount_cents
from ledger_entries entry
join customers customer on customer.organization_id = entry.organization_id and customer.id = entry.customer_id
where entry.account_kind in ('credit_note', 'wallet') and entry.source_kind = 'invoice_void' and entry.amount_cents > 0
  and entry.created_at > customer.deleted_at
