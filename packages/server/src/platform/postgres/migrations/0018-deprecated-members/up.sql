-- True: what the organization sends and gets has the members that the interface removed, too.
alter table organizations add column include_deprecated_fields boolean not null default false;
