-- An event has at most one fee in advance for each charge, and every such fee was published.
select fee.organization_id, fee.event_id, fee.charge_id, count(*) as fees, count(told.id) as told
from fees fee
left join outbox told on told.organization_id = fee.organization_id and told.object_id = fee.id and told.webhook_type = 'fee.created'
where fee.event_id is not null
group by fee.organization_id, fee.event_id, fee.charge_id
having count(*) > 1 or count(told.id) <> 1
