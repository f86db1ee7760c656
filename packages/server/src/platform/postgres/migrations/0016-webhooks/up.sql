-- Where an organization wants to be told of its changes.
create table webhook_endpoints (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  webhook_url text not null,
  signature_algo text not null default 'jwt' check (signature_algo in ('jwt', 'hmac')),
  -- Both kinds of HMAC are made with it. It is shown to whoever may read the endpoint.
  secret text not null check (secret ~ '^whsec_[A-Za-z0-9+/]{43}=$'),
  -- Attempts that failed since one was taken, and when the first of them began.
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz,
  -- Nothing is sent before: it failed, or asked to be left alone.
  resting_until timestamptz,
  -- When something was last taken from its queue: whoever waits longest comes next.
  claimed_at timestamptz,
  -- It said that it is gone, or took nothing for as long as a message is repeated. A change of it enables it again.
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id),
  check ((failures > 0) = (failing_since is not null))
);
-- As the owner, whom the policies below would hide the rows from. Ids made here are of version 7 like all others.
alter table organizations no force row level security;
insert into webhook_endpoints (organization_id, id, webhook_url, secret, created_at, updated_at)
select id,
  encode(
    set_byte(
      substring(int8send((extract(epoch from now()) * 1000)::bigint) from 3)
        || substring(uuid_send(gen_random_uuid()) from 7),
      6, 112 + get_byte(uuid_send(gen_random_uuid()), 0) % 16
    ),
    'hex'
  )::uuid,
  webhook_url,
  'whsec_' || encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64'),
  now(), now()
from organizations
where webhook_url is not null;
alter table organizations force row level security;
select protect_tenant_table('webhook_endpoints');
create index webhook_endpoints_list on webhook_endpoints (organization_id, created_at desc, id desc);
create unique index webhook_endpoints__webhook_url on webhook_endpoints (organization_id, webhook_url) where deleted_at is null;

-- With which an organization's JWT signatures are made. Made with its first endpoint, or when somebody asks for the public half.
create table webhook_keys (
  organization_id uuid primary key references organizations (id),
  private_key text not null,
  created_at timestamptz not null
);
select protect_tenant_table('webhook_keys');

-- A message on its way to an endpoint. What is sent is the payload of the message, to the byte, on every attempt.
create table webhook_deliveries (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  endpoint_id uuid not null,
  message_id uuid not null,
  status text not null default 'pending' check (status in ('pending', 'retrying', 'succeeded', 'failed')),
  -- Those that ended; one whose worker was killed is made again and does not count.
  attempts integer not null default 0 check (attempts >= 0),
  -- When the next attempt may begin.
  ready_at timestamptz not null,
  -- An attempt is under way, until then at the latest: afterwards its worker is gone and another one takes it.
  leased_until timestamptz,
  lease_id uuid,
  -- What came of the last attempt.
  http_status integer,
  last_error text,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, endpoint_id, message_id),
  foreign key (organization_id, endpoint_id) references webhook_endpoints (organization_id, id),
  foreign key (organization_id, message_id) references outbox (organization_id, id),
  check ((status in ('succeeded', 'failed')) = (settled_at is not null)),
  check ((leased_until is null) = (lease_id is null)),
  check (leased_until is null or settled_at is null),
  check (status <> 'pending' or attempts = 0)
);
select protect_tenant_table('webhook_deliveries');
-- By endpoint, so that what waits for one is not read to find what waits for another.
create index webhook_deliveries_open on webhook_deliveries (organization_id, endpoint_id, ready_at) where settled_at is null;
create index webhook_deliveries_leased on webhook_deliveries (organization_id, endpoint_id, leased_until) where leased_until is not null;
create index webhook_deliveries_list on webhook_deliveries (organization_id, endpoint_id, created_at desc, id desc);
create index webhook_deliveries_message on webhook_deliveries (organization_id, message_id);

-- What was sent and answered, attempt by attempt; the body that was sent is the payload of the message.
create table webhook_attempts (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  delivery_id uuid not null,
  number integer not null check (number > 0),
  url text not null,
  request_headers jsonb not null check (jsonb_typeof(request_headers) = 'object'),
  started_at timestamptz not null,
  duration_ms integer not null check (duration_ms >= 0),
  -- Either an answer came, or something else did.
  http_status integer,
  response_body text,
  error text,
  primary key (organization_id, id),
  unique (organization_id, delivery_id, number),
  foreign key (organization_id, delivery_id) references webhook_deliveries (organization_id, id) on delete cascade,
  check ((http_status is null) = (response_body is null)),
  check (http_status is not null or error is not null)
);
select protect_tenant_table('webhook_attempts');

-- The dispatcher looks, over all organizations, who waits; it may take one, and change nothing of what is sent, nor where to.
create policy dispatch on webhook_endpoints for select to tallystick_dispatcher using (true);
create policy dispatch_claim on webhook_endpoints for update to tallystick_dispatcher using (true) with check (true);
grant select (organization_id, id, failures, resting_until, claimed_at) on webhook_endpoints to tallystick_dispatcher;
grant update (claimed_at) on webhook_endpoints to tallystick_dispatcher;
create policy dispatch on webhook_deliveries for select to tallystick_dispatcher using (true);
create policy dispatch_claim on webhook_deliveries for update to tallystick_dispatcher using (true) with check (true);
grant select (organization_id, id, endpoint_id, ready_at, leased_until, lease_id, settled_at) on webhook_deliveries
  to tallystick_dispatcher;
grant update (leased_until, lease_id) on webhook_deliveries to tallystick_dispatcher;

-- What was told long ago is forgotten: the payload goes, and the row stays as the proof that it was told, once.
alter table outbox add column forgotten_at timestamptz;
create index outbox_told on outbox (organization_id, dispatched_at) where dispatched_at is not null and forgotten_at is null;
