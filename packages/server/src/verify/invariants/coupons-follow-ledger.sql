-- The remaining amount of a coupon is the sum of its ledger account.
with account as (
  select organization_id, account_id, sum(amount_cents) as amount
  from ledger_entries
  where account_kind = 'coupon'
  group by organization_id, account_id
)
select coalesce(coupon.organization_id, account.organization_id) as organization_id,
  coalesce(coupon.id, account.account_id) as applied_coupon_id, coupon.amount_left_cents as left, account.amount as in_ledger
from applied_coupons coupon
full join account on account.organization_id = coupon.organization_id and account.account_id = coupon.id
where coupon.id is null or coalesce(coupon.amount_left_cents, 0) <> coalesce(account.amount, 0)
