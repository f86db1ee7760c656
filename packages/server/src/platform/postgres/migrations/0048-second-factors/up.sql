-- Second factors and passkeys belong to people, who belong to no organization: only the dispatcher reaches these tables.

-- One for each person. It counts once it is confirmed.
create table totp_factors (
  user_id uuid primary key references users (id) on delete cascade,
  -- In Base32. Null if it is sealed.
  secret text,
  -- Sealed with the master key itself: data keys belong to organizations.
  sealed_secret bytea,
  master_version integer,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  -- The 30 seconds of the last code that was used, since 1970. A code of these or earlier ones is not taken again.
  last_step bigint,
  check ((secret is null) = (sealed_secret is not null)),
  check ((sealed_secret is null) = (master_version is null)),
  check (confirmed_at is null or last_step is not null)
);
create index totp_factors_master on totp_factors (master_version);
alter table totp_factors enable row level security;
alter table totp_factors force row level security;
create policy dispatch on totp_factors to tallystick_dispatcher using (true) with check (true);
create policy verification on totp_factors for select to tallystick_verifier using (true);
grant select, insert, update, delete on totp_factors to tallystick_dispatcher;
grant select (user_id, sealed_secret, master_version, created_at, confirmed_at) on totp_factors to tallystick_verifier;

-- Codes for a person whose other factors are lost: each works once. A code has 80 bits of randomness, so a slow hash is not needed.
create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);
alter table recovery_codes enable row level security;
alter table recovery_codes force row level security;
create policy dispatch on recovery_codes to tallystick_dispatcher using (true) with check (true);
create policy verification on recovery_codes for select to tallystick_verifier using (true);
grant select, insert, update, delete on recovery_codes to tallystick_dispatcher;
grant select (user_id, created_at, used_at) on recovery_codes to tallystick_verifier;

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- Chosen by the authenticator.
  credential_id bytea not null check (octet_length(credential_id) between 1 and 1023),
  -- COSE.
  public_key bytea not null,
  -- How often the authenticator says it was used; 0 if it does not count.
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  name text not null check (char_length(name) between 1 and 255),
  created_at timestamptz not null,
  last_used_at timestamptz
);
create unique index passkeys__credential on passkeys (credential_id);
create index passkeys_user on passkeys (user_id);
alter table passkeys enable row level security;
alter table passkeys force row level security;
create policy dispatch on passkeys to tallystick_dispatcher using (true) with check (true);
create policy verification on passkeys for select to tallystick_verifier using (true);
grant select, insert, update, delete on passkeys to tallystick_dispatcher;
grant select (id, user_id, counter, name, created_at, last_used_at) on passkeys to tallystick_verifier;

-- What an authenticator is to sign. The row is deleted by the first answer, so a challenge works once.
create table passkey_challenges (
  challenge_hash bytea primary key check (octet_length(challenge_hash) = 32),
  purpose text not null check (purpose in ('register', 'sign_in', 'prove')),
  -- Null before anyone knows who signs in.
  user_id uuid references users (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check (purpose = 'sign_in' or user_id is not null)
);
create index passkey_challenges_age on passkey_challenges (expires_at);
create index passkey_challenges_user on passkey_challenges (user_id);
alter table passkey_challenges enable row level security;
alter table passkey_challenges force row level security;
create policy dispatch on passkey_challenges to tallystick_dispatcher using (true) with check (true);
create policy verification on passkey_challenges for select to tallystick_verifier using (true);
grant select, insert, delete on passkey_challenges to tallystick_dispatcher;
grant select (purpose, user_id, created_at, expires_at) on passkey_challenges to tallystick_verifier;
