-- True: requests may have members that the operation does not know. They are ignored.
alter table organizations add column ignore_unknown_members boolean not null default false;
