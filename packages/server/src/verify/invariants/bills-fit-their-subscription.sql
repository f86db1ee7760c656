-- A bill belongs to a started subscription and to its customer. It has the instant of its reason and shares an invoice only with related
-- bills. It has usage only where a period or the subscription ends.
select b.organization_id, b.id as bill_id, b.subscription_id, b.reason, b.occurred_at, b.invoice_key
from bills b
left join subscriptions s on s.organization_id = b.organization_id and s.id = b.subscription_id
where s.started_at is null
  or b.customer_id <> s.customer_id
  or b.ready_at < b.occurred_at
  or b.invoice_key <> case b.reason
    when 'periodic' then s.customer_id
    when 'starting' then coalesce(s.previous_subscription_id, s.id)
    else s.id
  end
  or b.reason = 'starting' and s.previous_subscription_id is not null and b.occurred_at <> s.started_at
  or b.reason = 'trial_end' and b.occurred_at is distinct from s.trial_ended_at
  or b.reason in ('starting', 'trial_end') and b.charges_from is not null
