-- Every wallet transaction was published once when it was created, and every such message has its transaction.
select organization_id, object_id as transaction_id, told.times
from (select organization_id, id as object_id from wallet_transactions) as made
full join (
  select organization_id, object_id, count(*) as times
  from outbox where webhook_type = 'wallet_transaction.created'
  group by organization_id, object_id
) as told using (organization_id, object_id)
where told.times is distinct from 1 or made.object_id is null
