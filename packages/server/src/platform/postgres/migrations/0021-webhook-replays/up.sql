-- A delivery that is settled can be opened again: somebody wants the message once more, under the same id and in the same bytes.
alter table webhook_deliveries
  -- Attempts before it was last opened again: the delays between attempts begin anew with those after them.
  add column attempts_before integer not null default 0,
  -- When somebody last asked for it to be sent again, or at once.
  add column replayed_at timestamptz;
alter table webhook_deliveries
  add check (attempts_before between 0 and attempts),
  -- What was taken long ago is no success of what was asked for since.
  add check (status <> 'succeeded' or attempts > attempts_before);
create index webhook_deliveries_newest on webhook_deliveries (organization_id, created_at desc, id desc);
