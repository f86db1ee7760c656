-- Over all coupons, credit notes and wallets of a customer, the value given equals the value used by invoices, lost and still available.
-- The documents and the ledger have the same sums.
with wallet_uses as (
  -- A void gives credits back, unless the wallet has ended: then they are lost.
  select used.organization_id, used.customer_id, used.id, used.amount_cents, invoice.status = 'voided' as is_void,
    back.id is not null as is_returned, wallet.status <> 'active' or wallet.expiration_at is not null as may_be_lost
  from wallet_transactions used
  join invoices invoice on invoice.organization_id = used.organization_id and invoice.id = used.invoice_id
  join wallets wallet on wallet.organization_id = used.organization_id and wallet.id = used.wallet_id
  left join wallet_transactions back on back.organization_id = used.organization_id and back.wallet_id = used.wallet_id
    and back.voided_invoice_id = used.invoice_id
  where used.transaction_status = 'invoiced'
),
coupon_uses as (
  select credit.organization_id, credit.owner_id, sum(credit.amount_cents) as amount_cents
  from invoice_credits credit
  join invoices invoice on invoice.organization_id = credit.organization_id and invoice.id = credit.invoice_id
  where credit.kind = 'coupon' and invoice.status <> 'voided'
  group by credit.organization_id, credit.owner_id
),
note_uses as (
  select credit.organization_id, credit.owner_id, sum(credit.amount_cents) as amount_cents
  from invoice_credits credit
  join invoices invoice on invoice.organization_id = credit.organization_id and invoice.id = credit.invoice_id
  where credit.kind = 'credit_note' and invoice.status <> 'voided'
  group by credit.organization_id, credit.owner_id
),
lot_movements as (
  select organization_id, lot_id, sum(amount_cents) as amount_cents from wallet_lot_movements group by organization_id, lot_id
),
-- For each document: the value it gave, used, lost and still has. The customer of a use is the customer of the invoice.
documents as (
  select coupon.organization_id, coupon.customer_id,
    -- A coupon without a fixed amount is given with each use.
    case when coupon.amount_left_cents is null then coalesce(used.amount_cents, 0) else coupon.amount_cents end as given,
    0::numeric as taken, 0::numeric as lost, coalesce(coupon.amount_left_cents, 0) as held
  from applied_coupons coupon
  left join coupon_uses used on used.organization_id = coupon.organization_id and used.owner_id = coupon.id
  union all
  select note.organization_id, note.customer_id, note.credit_amount_cents, 0,
    -- A void gives nothing back to a voided note or to a deleted customer.
    case
      when note.voided_at is null and customer.deleted_at is null then 0
      else note.credit_amount_cents - coalesce(used.amount_cents, 0) - note.balance_amount_cents
    end,
    note.balance_amount_cents
  from credit_notes note
  join customers customer on customer.organization_id = note.organization_id and customer.id = note.customer_id
  left join note_uses used on used.organization_id = note.organization_id and used.owner_id = note.id
  union all
  select t.organization_id, t.customer_id,
    case
      when t.transaction_type = 'inbound' and t.voided_invoice_id is null then t.amount_cents
      when t.transaction_status = 'voided' and t.corrects_transaction_id is not null then -t.amount_cents
      else 0
    end,
    0,
    case when t.transaction_status = 'voided' and t.corrects_transaction_id is null then t.amount_cents else 0 end
      -- The rest of a lot when its wallet ended.
      + case
        when t.transaction_type = 'inbound' and t.voided_invoice_id is null and t.corrects_transaction_id is null and wallet.status <> 'active'
          then t.amount_cents + coalesce(moved.amount_cents, 0) - t.remaining_amount_cents
        else 0
      end,
    t.remaining_amount_cents
  from wallet_transactions t
  join wallets wallet on wallet.organization_id = t.organization_id and wallet.id = t.wallet_id
  left join lot_movements moved on moved.organization_id = t.organization_id and moved.lot_id = t.id
  where t.status = 'settled'
  union all
  select organization_id, customer_id, 0, 0, amount_cents, 0
  from wallet_uses where is_void and not is_returned and may_be_lost
  union all
  select organization_id, customer_id, 0, coupons_amount_cents + credit_notes_amount_cents + prepaid_credit_amount_cents, 0, 0
  from invoices
  where status in ('finalized', 'draft')
    and coupons_amount_cents + credit_notes_amount_cents + prepaid_credit_amount_cents > 0
),
shown as (
  select organization_id, customer_id, sum(given) as given, sum(taken) as taken, sum(lost) as lost, sum(held) as held
  from documents
  group by organization_id, customer_id
),
owners as (
  select organization_id, id from applied_coupons
  union all
  select organization_id, id from credit_notes
  union all
  select organization_id, id from wallets
),
posted as (
  select entry.organization_id, entry.customer_id,
    -- A refund is issued too, but as money.
    -coalesce(sum(amount_cents) filter (where account_kind in ('issued', 'purchased', 'granted', 'refunded')), 0) as given,
    coalesce(sum(amount_cents) filter (where account_kind in ('coupon', 'credit_note', 'wallet')), 0) as held
  from ledger_entries entry
  join owners on owners.organization_id = entry.organization_id and owners.id = entry.account_id
  group by entry.organization_id, entry.customer_id
)
select coalesce(shown.organization_id, posted.organization_id) as organization_id,
  coalesce(shown.customer_id, posted.customer_id) as customer_id, shown.given, shown.taken, shown.lost, shown.held,
  posted.given as posted_given, posted.given - posted.held as posted_taken_or_lost, posted.held as posted_held
from shown
full join posted on posted.organization_id = shown.organization_id and posted.customer_id = shown.customer_id
where coalesce(shown.given, 0) <> coalesce(shown.taken + shown.lost + shown.held, 0)
  or (coalesce(shown.given, 0), coalesce(shown.held, 0)) is distinct from (coalesce(posted.given, 0), coalesce(posted.held, 0))
