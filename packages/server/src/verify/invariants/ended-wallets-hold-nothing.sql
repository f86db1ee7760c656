-- A wallet that has ended has a balance of 0, in its own row and in the ledger.
select wallet.organization_id, wallet.id as wallet_id, wallet.customer_id, wallet.balance_cents,
  coalesce(account.amount_cents, 0) as ledger_cents
from wallets wallet
left join (
  select organization_id, account_id, sum(amount_cents) as amount_cents
  from ledger_entries where account_kind = 'wallet'
  group by organization_id, account_id
) as account on account.organization_id = wallet.organization_id and account.account_id = wallet.id
where wallet.status <> 'active' and (wallet.balance_cents <> 0 or coalesce(account.amount_cents, 0) <> 0)
