-- Both are asked of every plan on a page. In the terms, which can have a megabyte, they take milliseconds for each plan.
alter table plan_versions
  add column name text generated always as (terms ->> 'name') stored,
  add column terms_bytes integer generated always as (octet_length(terms::text)) stored;
