-- A finalized invoice and its fees have the amounts that their derivations contain, and the total that was published when the invoice was
-- issued.
with exact as (
  select organization_id, id as fee_id, invoice_id, amount_cents, derivation, derivation ->> 'type' as type,
    split_part(derivation ->> 'requiredMinor', '/', 1)::numeric
      / coalesce(nullif(split_part(derivation ->> 'requiredMinor', '/', 2), ''), '1')::numeric as required
  from fees
),
derived as (
  select organization_id, fee_id, invoice_id, amount_cents, case
    when type = 'subscription_fee' then round((derivation ->> 'planAmountMinor')::numeric
      * ((derivation ->> 'days')::numeric - (derivation ->> 'freeDays')::numeric) / (derivation ->> 'periodDays')::numeric)
    when type in ('usage', 'renewal', 'in_advance') then (derivation #>> '{fee,amountMinor}')::numeric
    when type in ('charge_minimum', 'commitment') then round(required - (derivation ->> 'usedMinor')::numeric)
    when type = 'one_off' then round((derivation ->> 'unitAmountMinor')::numeric * (derivation ->> 'units')::numeric)
  end as amount
  from exact
)
select organization_id, invoice_id, fee_id, 'the amount of a fee' as what, amount_cents as stored, amount as derived
from derived
where amount_cents <> amount
union all
select invoice.organization_id, invoice.id, null, figure.name, figure.stored, (derivation -> 'figures' ->> figure.name)::numeric
from invoices invoice
cross join lateral (
  values
    ('feesMinor', fees_amount_cents),
    ('couponsMinor', coupons_amount_cents),
    ('taxesMinor', taxes_amount_cents),
    ('creditNotesMinor', credit_notes_amount_cents),
    ('prepaidMinor', prepaid_credit_amount_cents),
    ('totalMinor', total_amount_cents)
) as figure (name, stored)
where figure.stored <> (derivation -> 'figures' ->> figure.name)::numeric
union all
select invoice.organization_id, invoice.id, null, 'the published total', total_amount_cents,
  (told.payload #>> '{invoice,total_amount_cents}')::numeric
from outbox told
join invoices invoice on invoice.organization_id = told.organization_id and invoice.id = told.object_id
where told.webhook_type in ('invoice.created', 'invoice.one_off_created')
  and invoice.total_amount_cents <> (told.payload #>> '{invoice,total_amount_cents}')::numeric
