-- No delivery waits because the secrets of its endpoint cannot be opened.
select endpoint.organization_id, endpoint.id as endpoint_id, endpoint.unopened_since, count(*)::int as deliveries
from webhook_endpoints endpoint
join webhook_deliveries delivery
  on delivery.organization_id = endpoint.organization_id and delivery.endpoint_id = endpoint.id and delivery.settled_at is null
where endpoint.unopened_since is not null and endpoint.deleted_at is null and endpoint.disabled_at is null
group by endpoint.organization_id, endpoint.id
