-- The trail: who changed what. A row is inserted in the transaction of the change, without a lock, together with its seal.
create table activities (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  created_at timestamptz not null,
  actor_kind text not null check (actor_kind in ('key', 'person', 'command', 'service')),
  actor_id text not null check (actor_id <> ''),
  -- Null where no request came over the network.
  address text,
  operation text not null check (operation <> ''),
  object_type text not null check (object_type <> ''),
  object_id text,
  request_id text,
  -- {"member": [before, after]}. As json and not jsonb: the digest is over the text as it was written.
  difference json,
  salt bytea check (octet_length(salt) = 16),
  -- sha256 of the salt and the text. It stays when an erasure drops both, so the chain can still be verified.
  difference_digest bytea check (octet_length(difference_digest) = 32),
  -- The activity of the erasure, which lists this one.
  erased_by uuid,
  primary key (organization_id, id),
  foreign key (organization_id, erased_by) references activities (organization_id, id),
  check ((difference is null) = (salt is null)),
  check ((difference_digest is not null) = (difference is not null or erased_by is not null)),
  check (difference is null or erased_by is null)
);
select protect_tenant_table('activities');
revoke update, delete on activities from tallystick_app;
create index activities_list on activities (organization_id, created_at desc, id desc);
create index activities_of_object on activities (organization_id, object_id, created_at desc, id desc);
create index activities_of_actor on activities (organization_id, actor_id, created_at desc, id desc);

-- What proves that a row of the trail is there and unchanged. Waits with its digest until a worker gives it a sequence and a chain:
-- chain = sha256(chain of the previous sequence || row_digest).
create table activity_seals (
  organization_id uuid not null references organizations (id),
  activity_id uuid not null,
  recorded_at timestamptz not null,
  row_digest bytea not null check (octet_length(row_digest) = 32),
  sequence bigint check (sequence > 0),
  chain bytea check (octet_length(chain) = 32),
  primary key (organization_id, activity_id),
  unique (organization_id, sequence),
  check ((sequence is null) = (chain is null))
);
select protect_tenant_table('activity_seals');
-- Requests add a seal that waits; they can neither seal nor remove one.
revoke insert, update, delete on activity_seals from tallystick_app;
grant insert (organization_id, activity_id, recorded_at, row_digest) on activity_seals to tallystick_app;
create index activity_seals_waiting on activity_seals (organization_id, activity_id) where sequence is null;

-- The end of the chain of each organization, and the checkpoint that pruning leaves: the chain begins after `pruned_sequence`.
create table activity_heads (
  organization_id uuid not null references organizations (id),
  sequence bigint not null default 0 check (sequence >= 0),
  chain bytea not null check (octet_length(chain) = 32),
  pruned_sequence bigint not null default 0 check (pruned_sequence between 0 and sequence),
  pruned_chain bytea not null check (octet_length(pruned_chain) = 32),
  -- Over all of the above, by a key that is derived from the master key of this version. Null without SECRETS_KEY.
  mac bytea check (octet_length(mac) = 32),
  master_version integer check (master_version > 0),
  primary key (organization_id),
  check ((mac is null) = (master_version is null))
);
select protect_tenant_table('activity_heads');
revoke insert, update, delete on activity_heads from tallystick_app;
-- Of the chains as they begin; see begin_activities.
grant insert (organization_id, chain, pruned_chain) on activity_heads to tallystick_app;

-- Workers seal, sign and prune over all organizations, and erase.
create policy dispatch on activity_seals to tallystick_dispatcher using (true) with check (true);
grant select, update (sequence, chain), delete on activity_seals to tallystick_dispatcher;
create policy dispatch on activity_heads to tallystick_dispatcher using (true) with check (true);
grant select, update (sequence, chain, pruned_sequence, pruned_chain, mac, master_version) on activity_heads to tallystick_dispatcher;
create policy dispatch on activities to tallystick_dispatcher using (true) with check (true);
grant select (organization_id, id, object_type, object_id, difference_digest, erased_by), update (difference, salt, erased_by), delete
  on activities to tallystick_dispatcher;

-- Each chain begins with the digest of its organization, so that no chain fits another organization.
create function begin_activities() returns trigger
  language plpgsql
  as $$
begin
  insert into activity_heads (organization_id, chain, pruned_chain)
  select new.id, genesis, genesis from sha256(convert_to(new.id::text, 'UTF8')) as genesis;
  return null;
end
$$;
create trigger begins_activities after insert on organizations for each row execute function begin_activities();

create function keep_activity() returns trigger
  language plpgsql
  as $$
declare
  erasing constant text[] := array['difference', 'salt', 'erased_by'];
begin
  if tg_op = 'DELETE' then
    if not exists (
      select from activity_seals s join activity_heads h on h.organization_id = s.organization_id
      where s.organization_id = old.organization_id and s.activity_id = old.id and s.sequence <= h.pruned_sequence
    ) then
      raise exception 'activity % is not pruned and is never deleted', old.id;
    end if;
  elsif old.difference is null or new.difference is not null
    or to_jsonb(new) - erasing is distinct from to_jsonb(old) - erasing then
    raise exception 'activity % never changes; only its difference can be erased', old.id;
  end if;
  return null;
end
$$;
create trigger never_changes after update or delete on activities for each row execute function keep_activity();

create function keep_activity_seal() returns trigger
  language plpgsql
  as $$
begin
  if tg_op = 'DELETE' then
    if not exists (
      select from activity_heads
      where organization_id = old.organization_id and old.sequence <= pruned_sequence
    ) then
      raise exception 'the seal of activity % is never deleted', old.activity_id;
    end if;
  elsif old.sequence is not null or new.sequence is null then
    raise exception 'activity % was sealed, and its seal never changes', old.activity_id;
  end if;
  return null;
end
$$;
create trigger never_changes after update or delete on activity_seals for each row execute function keep_activity_seal();

create function keep_activity_head() returns trigger
  language plpgsql
  as $$
begin
  if tg_op = 'DELETE' or new.sequence < old.sequence or new.pruned_sequence < old.pruned_sequence then
    raise exception 'the chain of organization % never becomes shorter', old.organization_id;
  end if;
  return null;
end
$$;
create trigger goes_forward after update or delete on activity_heads for each row execute function keep_activity_head();

alter table organizations no force row level security;
alter table activity_heads no force row level security;
insert into activity_heads (organization_id, chain, pruned_chain)
  select id, sha256(convert_to(id::text, 'UTF8')), sha256(convert_to(id::text, 'UTF8')) from organizations;
set constraints all immediate;
alter table activity_heads force row level security;
alter table organizations force row level security;
