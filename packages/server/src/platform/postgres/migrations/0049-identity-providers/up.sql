-- Single sign-on: the OpenID Connect providers of an organization.
create table identity_providers (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  -- Never changed: the subjects of another issuer or client are other people.
  issuer text not null,
  client_id text not null check (client_id <> ''),
  client_secret text,
  sealed_client_secret bytea,
  data_key_version integer,
  -- Those that the organization claims. A domain counts once the operator has approved it: see mail_domains.
  mail_domains text[] not null,
  enabled boolean not null,
  -- The role of people who sign in for the first time without an invitation; without one, they need an invitation.
  auto_join_role text check (auto_join_role in ('admin', 'finance', 'developer', 'support')),
  auto_join_role_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  check ((client_secret is null) = (sealed_client_secret is not null)),
  check ((sealed_client_secret is null) = (data_key_version is null)),
  check (num_nonnulls(auto_join_role, auto_join_role_id) <= 1),
  foreign key (organization_id, data_key_version) references data_keys (organization_id, version),
  foreign key (organization_id, auto_join_role_id) references roles (organization_id, id)
);
create index identity_providers_role on identity_providers (organization_id, auto_join_role_id);
create index identity_providers_plain on identity_providers (organization_id, id) where data_key_version is null;
select protect_tenant_table('identity_providers');
-- The dispatcher finds what is to be sealed, and which providers a session may have come through. It reads no secret.
create policy session_lookup on identity_providers for select to tallystick_dispatcher using (true);
grant select (organization_id, id, enabled, data_key_version) on identity_providers to tallystick_dispatcher;

-- Who somebody is for a provider. It outlives a change of the mail address there.
create table identities (
  organization_id uuid not null,
  provider_id uuid not null,
  subject text not null check (char_length(subject) between 1 and 255),
  user_id uuid not null references users (id),
  created_at timestamptz not null,
  primary key (organization_id, provider_id, subject),
  foreign key (organization_id, provider_id) references identity_providers (organization_id, id) on delete cascade
);
create index identities_user on identities (user_id);
select protect_tenant_table('identities');

-- Which organization signs people of a mail domain in. Only the operator of the installation writes it: an organization could claim any domain.
create table mail_domains (
  domain text primary key check (domain = lower(domain)),
  organization_id uuid not null references organizations (id),
  approved_at timestamptz not null
);
create index mail_domains_organization on mail_domains (organization_id);
alter table mail_domains enable row level security;
alter table mail_domains force row level security;
create policy tenant on mail_domains to tallystick_app
  using (organization_id = (select current_organization()))
  with check (organization_id = (select current_organization()));
create policy dispatch on mail_domains to tallystick_dispatcher using (true) with check (true);
create policy verification on mail_domains for select to tallystick_verifier using (true);
grant select on mail_domains to tallystick_app, tallystick_verifier;
grant select, insert, delete on mail_domains to tallystick_dispatcher;

-- Sign-ins that went to a provider and have not come back. The row is deleted by the first answer, so a state works once.
create table provider_sign_ins (
  state_hash bytea primary key check (octet_length(state_hash) = 32),
  organization_id uuid not null,
  provider_id uuid not null,
  -- Of the cookie of the browser that began.
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  nonce text not null,
  code_verifier text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  foreign key (organization_id, provider_id) references identity_providers (organization_id, id) on delete cascade
);
create index provider_sign_ins_age on provider_sign_ins (expires_at);
create index provider_sign_ins_provider on provider_sign_ins (organization_id, provider_id);
alter table provider_sign_ins enable row level security;
alter table provider_sign_ins force row level security;
create policy dispatch on provider_sign_ins to tallystick_dispatcher using (true) with check (true);
create policy verification on provider_sign_ins for select to tallystick_verifier using (true);
grant select, insert, delete on provider_sign_ins to tallystick_dispatcher;
grant select (organization_id, provider_id, created_at, expires_at) on provider_sign_ins to tallystick_verifier;
