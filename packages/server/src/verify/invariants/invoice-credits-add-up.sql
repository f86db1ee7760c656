-- The coupon and credit note amounts of an issued invoice are the sums of the coupons and credit notes applied to it.
select invoice.organization_id, invoice.id as invoice_id, invoice.coupons_amount_cents, credit.coupons, invoice.credit_notes_amount_cents,
  credit.notes
from invoices invoice
left join (
  select organization_id, invoice_id, sum(amount_cents) filter (where kind = 'coupon') as coupons,
    sum(amount_cents) filter (where kind = 'credit_note') as notes
  from invoice_credits
  group by organization_id, invoice_id
) as credit on credit.organization_id = invoice.organization_id and credit.invoice_id = invoice.id
where (invoice.coupons_amount_cents, invoice.credit_notes_amount_cents)
  is distinct from (coalesce(credit.coupons, 0), coalesce(credit.notes, 0))
