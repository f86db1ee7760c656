-- People who sign in. A person can belong to several organizations, so users, sessions, setup_links and sign_in_attempts know none; only the
-- dispatcher reaches them, by what the browser sent. Members, roles, invitations and rules are rows of a tenant like any other.
create table users (
  id uuid primary key,
  -- In lower case, as it is compared.
  email text not null check (char_length(email) between 3 and 254 and email = lower(email)),
  name text not null check (name <> ''),
  -- argon2id with its parameters; null for a person who signs in by other means only.
  password_hash text,
  created_at timestamptz not null,
  disabled_at timestamptz
);
create unique index users__email on users (email);
alter table users enable row level security;
alter table users force row level security;
create policy dispatch on users to tallystick_dispatcher using (true) with check (true);
create policy verification on users for select to tallystick_verifier using (true);
grant select, insert, update on users to tallystick_dispatcher;
grant select (id, email, name, created_at, disabled_at) on users to tallystick_verifier;

create table sessions (
  id uuid primary key,
  -- The token itself is nowhere. It changes when the session gains rights.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  user_id uuid not null references users (id) on delete cascade,
  -- What the person proved: password, totp, passkey, oidc:<id of the provider>.
  methods text[] not null check (cardinality(methods) > 0),
  created_at timestamptz not null,
  -- The last time that the person proved who it is.
  proved_at timestamptz not null,
  last_used_at timestamptz not null,
  -- The longest time without a request since the last proof: organizations allow different ones.
  longest_idle_seconds integer not null default 0,
  revoked_at timestamptz,
  address text,
  user_agent text check (char_length(user_agent) <= 300)
);
create index sessions_user on sessions (user_id);
create index sessions_age on sessions (created_at);
alter table sessions enable row level security;
alter table sessions force row level security;
create policy dispatch on sessions to tallystick_dispatcher using (true) with check (true);
create policy verification on sessions for select to tallystick_verifier using (true);
grant select, insert, update, delete on sessions to tallystick_dispatcher;
grant select (id, user_id, methods, created_at, revoked_at) on sessions to tallystick_verifier;

create table roles (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  code text not null check (code <> '' and code not in ('owner', 'admin', 'finance', 'developer', 'support')),
  name text not null check (name <> ''),
  -- {"customer": ["read", "write"], …}
  permissions jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);
create unique index roles__code on roles (organization_id, code);
select protect_tenant_table('roles');
create policy session_lookup on roles for select to tallystick_dispatcher using (true);
grant select on roles to tallystick_dispatcher;

create table members (
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  -- A role that every organization has, or one of its own.
  built_in_role text check (built_in_role in ('owner', 'admin', 'finance', 'developer', 'support')),
  role_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, user_id),
  check (num_nonnulls(built_in_role, role_id) = 1),
  foreign key (organization_id, role_id) references roles (organization_id, id)
);
create index members_user on members (user_id);
create index members_role on members (organization_id, role_id);
select protect_tenant_table('members');
create policy session_lookup on members for select to tallystick_dispatcher using (true);
grant select on members to tallystick_dispatcher;

-- Colleagues see each other, by name and address. Only the members of the organization that is set are visible inside.
create policy colleagues on users for select to tallystick_app
  using (exists (select from members where members.user_id = users.id));
grant select (id, email, name) on users to tallystick_app;

-- An organization that has an owner keeps one. The lock comes first, so that two owners cannot remove each other: the second one to get it
-- sees what the first one did.
create function keep_an_owner() returns trigger
  language plpgsql
  as $$
begin
  if old.built_in_role is distinct from 'owner' or (tg_op = 'UPDATE' and new.built_in_role = 'owner') then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('owners ' || old.organization_id, 0));
  if not exists (select from members where organization_id = old.organization_id and built_in_role = 'owner') then
    raise exception 'the organization would have no owner' using errcode = 'check_violation', constraint = 'members_keep_an_owner';
  end if;
  return null;
end
$$;
revoke execute on function keep_an_owner from public;
create trigger keep_an_owner after update or delete on members for each row execute function keep_an_owner();

-- Those that wait for an answer. The row is deleted when a person accepts, so an invitation works once.
create table invitations (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  email text not null check (char_length(email) between 3 and 254 and email = lower(email)),
  built_in_role text check (built_in_role in ('owner', 'admin', 'finance', 'developer', 'support')),
  role_id uuid,
  token_hash bytea not null check (octet_length(token_hash) = 32),
  -- Null if a key invited.
  invited_by uuid references users (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (organization_id, id),
  check (num_nonnulls(built_in_role, role_id) = 1),
  foreign key (organization_id, role_id) references roles (organization_id, id)
);
create unique index invitations__email on invitations (organization_id, email);
create index invitations_role on invitations (organization_id, role_id);
create index invitations_token on invitations (token_hash);
create index invitations_inviter on invitations (invited_by);
select protect_tenant_table('invitations');
-- A person opens one with its token, and no organization is known then.
create policy token_lookup on invitations for select to tallystick_dispatcher using (true);
grant select on invitations to tallystick_dispatcher;

-- Links that work once: to make an owner, to choose a new password, or to go on with a second factor.
create table setup_links (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  kind text not null check (kind in ('setup', 'password_reset', 'second_factor')),
  organization_id uuid references organizations (id),
  user_id uuid references users (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  check ((kind = 'setup') = (organization_id is not null)),
  check ((kind = 'setup') = (user_id is null))
);
create index setup_links_age on setup_links (expires_at);
create index setup_links_user on setup_links (user_id);
create index setup_links_organization on setup_links (organization_id);
alter table setup_links enable row level security;
alter table setup_links force row level security;
create policy dispatch on setup_links to tallystick_dispatcher using (true) with check (true);
create policy verification on setup_links for select to tallystick_verifier using (true);
grant select, insert, update, delete on setup_links to tallystick_dispatcher;
grant select (kind, organization_id, created_at, expires_at, used_at) on setup_links to tallystick_verifier;

-- The recent attempts of an address or a network, by a digest of it. A row is locked for the statement that counts.
create table sign_in_attempts (
  subject bytea primary key check (octet_length(subject) = 32),
  attempts timestamptz[] not null,
  last_at timestamptz not null
);
create index sign_in_attempts_age on sign_in_attempts (last_at);
alter table sign_in_attempts enable row level security;
alter table sign_in_attempts force row level security;
create policy dispatch on sign_in_attempts to tallystick_dispatcher using (true) with check (true);
create policy verification on sign_in_attempts for select to tallystick_verifier using (true);
grant select, insert, update, delete on sign_in_attempts to tallystick_dispatcher;
grant select on sign_in_attempts to tallystick_verifier;

-- What an organization demands of people who sign in. Without a row, the defaults.
create table sign_in_rules (
  organization_id uuid primary key references organizations (id),
  session_idle_minutes integer not null default 30 check (session_idle_minutes between 5 and 10080),
  session_max_hours integer not null default 12 check (session_max_hours between 1 and 720),
  requires_second_factor boolean not null default false,
  requires_sso boolean not null default false,
  updated_at timestamptz not null
);
select protect_tenant_table('sign_in_rules');
create policy session_lookup on sign_in_rules for select to tallystick_dispatcher using (true);
grant select on sign_in_rules to tallystick_dispatcher;
