-- A name for people, and the types of messages that the endpoint receives; null: all. A message is compared with the types that the
-- endpoint has when the message is dispatched, so a check of old messages must know since when they apply.
alter table webhook_endpoints
  add column name text,
  add column event_types text[] check (cardinality(event_types) > 0),
  add column event_types_since timestamptz,
  -- Replaced secrets, newest first: [{"secret": …, "until": …}]. Messages are signed with each of them until it expires.
  add column old_secrets jsonb not null default '[]' check (jsonb_typeof(old_secrets) = 'array'),
  alter column signature_algo set default 'hmac';

-- The owner is bound by row level security as well. Until now, a key that could write the organization could set `webhook_url`, and a key
-- that could write subscriptions could set prices of their own: existing keys keep both.
alter table api_keys no force row level security;
update api_keys
set permissions = permissions
  || jsonb_build_object('webhook_endpoint', coalesce(permissions -> 'webhook_endpoint', '[]') || '["write"]'::jsonb)
where permissions -> 'organization' ? 'write' and not coalesce(permissions -> 'webhook_endpoint' ? 'write', false);
update api_keys set permissions = permissions || '{"plan_override": ["write"]}'::jsonb
where permissions -> 'subscription' ? 'write' and not permissions ? 'plan_override';
alter table api_keys force row level security;
