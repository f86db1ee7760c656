-- Written before the answer, by the process that is never killed. No unique key: a double must be countable.
create table if not exists prove.received (
  endpoint_id uuid not null,
  message_id uuid not null,
  digest bytea not null,
  answered integer not null,
  -- Signatures that were not right.
  faults text[] not null
);
