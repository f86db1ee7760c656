-- What the names of members begin with in requests, answers and webhooks, in place of svc.
alter table organizations add column field_prefix text not null default 'svc' check (field_prefix ~ '^[a-z]{2,8}$');
