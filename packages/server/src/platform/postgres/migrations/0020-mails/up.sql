-- The mail that brings a document to its customer.
create table mails (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  document_id uuid not null,
  recipients text[] not null check (cardinality(recipients) > 0),
  subject text not null,
  -- queued: waits for ready_at. sending: an attempt is under way, or its worker is gone. sent: the server took it. failed: refused, or
  -- given up. unknown: it may have been taken and nobody heard of it. suppressed: it was not to leave this installation.
  status text not null check (status in ('queued', 'sending', 'sent', 'failed', 'unknown', 'suppressed')),
  -- Those that began.
  attempts integer not null default 0 check (attempts >= 0),
  -- When the next attempt may begin.
  ready_at timestamptz not null,
  -- Somebody is at work on it, until then at the latest.
  leased_until timestamptz,
  lease_id uuid,
  -- Why it is not sent, or whom the server did not take it for.
  last_error text,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (organization_id, id),
  -- Never twice for one document.
  unique (organization_id, document_id),
  foreign key (organization_id, document_id) references documents (organization_id, id),
  check ((status in ('queued', 'sending')) = (settled_at is null)),
  check ((leased_until is null) = (lease_id is null)),
  check (status <> 'sending' or lease_id is not null),
  check (settled_at is null or lease_id is null),
  check (status not in ('sending', 'sent', 'unknown') or attempts > 0)
);
select protect_tenant_table('mails');
create index mails_open on mails (ready_at) where settled_at is null;
create index mails_list on mails (organization_id, created_at desc, id desc);

create function keep_sent_mail() returns trigger
  language plpgsql
  as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'mail % is never deleted: it is the proof that its document was mailed', old.id;
  end if;
  if old.status = 'sent' then
    raise exception 'mail % is sent and never changes', old.id;
  end if;
  if (old.organization_id, old.id, old.document_id, old.created_at) is distinct from
    (new.organization_id, new.id, new.document_id, new.created_at) then
    raise exception 'what mail % brings never changes', old.id;
  end if;
  return null;
end
$$;
-- After, so that row level security answers first.
create trigger stays_sent after update or delete on mails for each row execute function keep_sent_mail();

-- Written before an attempt begins. One without an outcome is under way, or its worker is gone.
create table mail_attempts (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  mail_id uuid not null,
  number integer not null check (number > 0),
  started_at timestamptz not null,
  ended_at timestamptz,
  -- taken: by the server, for at least one recipient. deferred: surely not taken, to be tried again. refused: never will be.
  outcome text check (outcome in ('taken', 'deferred', 'refused', 'unknown')),
  -- What the server said, or what came instead.
  response text,
  primary key (organization_id, id),
  unique (organization_id, mail_id, number),
  foreign key (organization_id, mail_id) references mails (organization_id, id),
  check ((outcome is null) = (ended_at is null)),
  check ((outcome is null) = (response is null))
);
select protect_tenant_table('mail_attempts');
create unique index mail_attempts_taken_once on mail_attempts (organization_id, mail_id) where outcome = 'taken';
create unique index mail_attempts_one_at_a_time on mail_attempts (organization_id, mail_id) where outcome is null;

-- The dispatcher looks, over all organizations, what waits; it may take one, and change nothing of what is sent, nor see to whom.
create policy dispatch on mails for select to tallystick_dispatcher using (true);
create policy dispatch_claim on mails for update to tallystick_dispatcher using (true) with check (true);
grant select (organization_id, id, ready_at, leased_until, lease_id, settled_at) on mails to tallystick_dispatcher;
grant update (leased_until, lease_id) on mails to tallystick_dispatcher;
