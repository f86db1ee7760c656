-- An active or pending subscription has the time zone of its customer, if the customer has one.
select s.organization_id, s.id as subscription_id, s.customer_id, s.time_zone, c.timezone as customer_time_zone
from subscriptions s
join customers c on c.organization_id = s.organization_id and c.id = s.customer_id
where s.status in ('active', 'pending') and s.time_zone <> c.timezone
