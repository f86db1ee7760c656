-- The total of an invoice is its fees less coupons, plus taxes, less credit notes, less prepaid credits, in whole cents; its fees and
-- taxes are those that stand on it.
with fee_sums as (
  select organization_id, invoice_id, sum(amount_cents) as amount, sum(taxes_amount_cents) as taxes
  from fees
  where invoice_id is not null
  group by organization_id, invoice_id
),
tax_sums as (
  select organization_id, invoice_id, sum(amount_cents) as amount, count(*) as lines
  from invoice_taxes
  group by organization_id, invoice_id
)
select invoice.organization_id, invoice.id as invoice_id, invoice.status, invoice.total_amount_cents, invoice.fees_amount_cents,
  coalesce(fee.amount, 0) as fees, invoice.taxes_amount_cents, coalesce(tax.amount, 0) as taxes
from invoices invoice
left join fee_sums fee on fee.organization_id = invoice.organization_id and fee.invoice_id = invoice.id
left join tax_sums tax on tax.organization_id = invoice.organization_id and tax.invoice_id = invoice.id
where invoice.status <> 'generating' and (
  invoice.total_amount_cents <> invoice.fees_amount_cents - invoice.coupons_amount_cents + invoice.taxes_amount_cents
    - invoice.credit_notes_amount_cents - invoice.prepaid_credit_amount_cents
  or invoice.fees_amount_cents <> coalesce(fee.amount, 0)
  or case invoice.invoice_type
    -- What was paid fee by fee is added up.
    when 'advance_charges' then invoice.taxes_amount_cents <> coalesce(fee.taxes, 0)
    -- Taxes are rounded once, and each line by itself: half a cent a line, and half a cent for all.
    else 2 * abs(invoice.taxes_amount_cents - coalesce(tax.amount, 0)) > coalesce(tax.lines, 0) + 1
  end
)
