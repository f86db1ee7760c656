-- The balance of a wallet is the sum of its ledger account. Its used amount is the sum of its uses less what was given back.
select coalesce(w.organization_id, account.organization_id) as organization_id, coalesce(w.id, account.account_id) as wallet_id,
  w.balance_cents, coalesce(account.amount_cents, 0) as ledger_cents,
  w.consumed_amount_cents, coalesce(used.amount_cents, 0) as used_cents
from wallets w
full join (
  select organization_id, account_id, sum(amount_cents) as amount_cents
  from ledger_entries where account_kind = 'wallet'
  group by organization_id, account_id
) as account on account.organization_id = w.organization_id and account.account_id = w.id
left join (
  select organization_id, wallet_id,
    sum(case when transaction_type = 'outbound' then amount_cents else -amount_cents end) as amount_cents,
    sum(case when transaction_type = 'outbound' then credit_amount else -credit_amount end) as credits
  from wallet_transactions where transaction_status = 'invoiced' or voided_invoice_id is not null
  group by organization_id, wallet_id
) as used on used.organization_id = w.organization_id and used.wallet_id = w.id
where (w.balance_cents, w.consumed_amount_cents, w.consumed_credits)
  is distinct from (coalesce(account.amount_cents, 0), coalesce(used.amount_cents, 0), coalesce(used.credits, 0))
