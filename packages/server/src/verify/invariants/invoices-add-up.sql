-- The total of an invoice is its fees less coupons, plus taxes, less credit notes, less prepaid credits, in whole cents. The fee and tax
-- amounts are the sums of the invoice's fees and taxes.
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
    -- The sum of the fees that were paid one by one.
    when 'advance_charges' then invoice.taxes_amount_cents <> coalesce(fee.taxes, 0)
    -- The invoice's taxes are rounded once, and each line is rounded alone: half a cent per line, and half a cent for the total.
    else 2 * abs(invoice.taxes_amount_cents - coalesce(tax.amount, 0)) > coalesce(tax.lines, 0) + 1
  end
)
