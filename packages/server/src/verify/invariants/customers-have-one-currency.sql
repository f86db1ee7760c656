-- Every subscription is in the currency of its customer.
select s.organization_id, s.id as subscription_id, s.customer_id, c.currency as customer_currency,
  v.terms ->> 'amount_currency' as plan_currency
from subscriptions s
join customers c on c.organization_id = s.organization_id and c.id = s.customer_id
join plans p on p.organization_id = s.organization_id and p.id = s.plan_id
join plan_versions v on v.organization_id = p.organization_id and v.plan_id = p.id and v.version = p.version
where c.currency is distinct from v.terms ->> 'amount_currency'
