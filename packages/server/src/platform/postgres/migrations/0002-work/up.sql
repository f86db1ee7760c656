-- What must happen, and when. A row is consumed once, for ever: it stays, with done_at, so that the same instant of the
-- same subject can never be scheduled again.
create table due_instants (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  kind text not null,
  subject_id uuid not null,
  -- Rows of one customer run one at a time in the order (due_at, rank, id); a row without customer waits for nobody.
  customer_id uuid,
  -- Set: only that test clock's advance runs the row. Null: the real clock does.
  test_clock_id uuid,
  due_at timestamptz not null,
  rank smallint not null,
  -- due_at plus the settle delay; a failed attempt moves it on.
  ready_at timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  done_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, kind, subject_id, due_at)
);
select protect_tenant_table('due_instants');
create index due_instants_ready on due_instants (ready_at) where done_at is null and test_clock_id is null;
create index due_instants_customer on due_instants (organization_id, customer_id, due_at, rank, id) where done_at is null;
create index due_instants_clock on due_instants (organization_id, test_clock_id, due_at, rank, id)
  where done_at is null and test_clock_id is not null;
create policy dispatch on due_instants for select to tallystick_dispatcher using (true);
create policy dispatch_claim on due_instants for update to tallystick_dispatcher using (true) with check (true);
grant select on due_instants to tallystick_dispatcher;
grant update (ready_at, attempts, last_error) on due_instants to tallystick_dispatcher;

-- One row per state change, written in the transaction that changes the state, with the object's API form as it was then.
create table outbox (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  webhook_type text not null,
  object_type text not null,
  object_id uuid not null,
  -- 'once' where a thing can happen to an object only once; otherwise the id of the row.
  change_key text not null,
  payload json not null,
  created_at timestamptz not null,
  ready_at timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  dispatched_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, webhook_type, object_id, change_key)
);
select protect_tenant_table('outbox');
create index outbox_ready on outbox (ready_at, id) where dispatched_at is null;
create policy dispatch on outbox for select to tallystick_dispatcher using (true);
create policy dispatch_claim on outbox for update to tallystick_dispatcher using (true) with check (true);
grant select on outbox to tallystick_dispatcher;
grant update (ready_at, attempts, last_error) on outbox to tallystick_dispatcher;

-- Which workers are alive, over all organizations. The job library frees the jobs of a dead worker only after hours.
create table worker_heartbeats (
  worker_id text primary key,
  seen_at timestamptz not null
);
alter table worker_heartbeats enable row level security;
alter table worker_heartbeats force row level security;
create policy heartbeat on worker_heartbeats to tallystick_dispatcher using (true) with check (true);
grant select, insert, update, delete on worker_heartbeats to tallystick_dispatcher;
