-- The master keys that were ever used, without the keys: a proof is a box that only the key opens. So a process with another key of the
-- same version finds out before it seals anything.
create table master_keys (
  version integer primary key check (version > 0),
  proof bytea not null check (octet_length(proof) = 28),
  created_at timestamptz not null
);
alter table master_keys enable row level security;
alter table master_keys force row level security;
create policy dispatch on master_keys to tallystick_dispatcher using (true) with check (true);
create policy verification on master_keys for select to tallystick_verifier using (true);
grant select, insert on master_keys to tallystick_dispatcher;
grant select on master_keys to tallystick_verifier;

-- The keys that seal the secrets of an organization, each sealed with a master key. A retired one only opens.
create table data_keys (
  organization_id uuid not null references organizations (id),
  version integer not null check (version > 0),
  master_version integer not null check (master_version > 0),
  wrapped bytea not null check (octet_length(wrapped) = 60),
  created_at timestamptz not null,
  retired_at timestamptz,
  primary key (organization_id, version)
);
select protect_tenant_table('data_keys');
create unique index data_keys_current on data_keys (organization_id) where retired_at is null;
create index data_keys_master on data_keys (master_version, organization_id);
create index data_keys_retired on data_keys (organization_id) where retired_at is not null;
-- The dispatcher finds what is to be sealed again, and retires all keys at once. It cannot read a key, not even a sealed one.
create policy directory on data_keys for select to tallystick_dispatcher using (true);
create policy retirement on data_keys for update to tallystick_dispatcher using (true) with check (true);
grant select (organization_id, version, master_version, retired_at), update (retired_at) on data_keys to tallystick_dispatcher;

alter table webhook_endpoints
  alter column secret drop not null,
  -- {"secret": …, "old": [{"secret": …, "until": …}]} in one box, in place of `secret` and `old_secrets`.
  add column sealed_secrets bytea,
  add column data_key_version integer,
  -- Null of endpoints of earlier releases: their `secret` is readable.
  add column secret_last4 text check (char_length(secret_last4) = 4),
  -- Since then, no worker could open the box, and deliveries wait.
  add column unopened_since timestamptz,
  add check ((secret is null) = (sealed_secrets is not null)),
  add check ((sealed_secrets is null) = (data_key_version is null)),
  add check (sealed_secrets is null or (secret_last4 is not null and old_secrets = '[]')),
  add foreign key (organization_id, data_key_version) references data_keys (organization_id, version);
create index webhook_endpoints_plain on webhook_endpoints (organization_id, id) where data_key_version is null;
grant select (data_key_version, unopened_since) on webhook_endpoints to tallystick_dispatcher;

alter table webhook_keys
  alter column private_key drop not null,
  add column sealed_private_key bytea,
  add column data_key_version integer,
  -- PEM. Null of keys of earlier releases: it is computed from the private key.
  add column public_key text,
  add check ((private_key is null) = (sealed_private_key is not null)),
  add check ((sealed_private_key is null) = (data_key_version is null)),
  add check (sealed_private_key is null or public_key is not null),
  add foreign key (organization_id, data_key_version) references data_keys (organization_id, version);
create index webhook_keys_plain on webhook_keys (organization_id) where data_key_version is null;
create policy dispatch on webhook_keys for select to tallystick_dispatcher using (true);
grant select (organization_id, data_key_version) on webhook_keys to tallystick_dispatcher;
