-- Indexes of three-letter parts. Both extensions are trusted: who may create objects in the database may create them.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;
-- An administrator may have put them into another schema.
select set_config('search_path', (
  select string_agg(distinct format('%I', extnamespace::regnamespace::text), ', ') || ', public'
  from pg_extension where extname in ('pg_trgm', 'btree_gin')), true);
create index customers_parts on customers
  using gin (organization_id, name gin_trgm_ops, legal_name gin_trgm_ops, external_id gin_trgm_ops, email gin_trgm_ops);
create index invoices_parts on invoices using gin (organization_id, number gin_trgm_ops) where number is not null;
create index credit_notes_parts on credit_notes using gin (organization_id, number gin_trgm_ops);
create index subscriptions_parts on subscriptions using gin (organization_id, name gin_trgm_ops, external_id gin_trgm_ops);
reset search_path;

-- Behind the policy of a tenant, Postgres compares a part of a text only after the policy, and so cannot use these indexes. The function
-- below runs as the owner, who serves no request. A policy that is always true leaves the order of comparisons to the planner.
create policy search on customers for select to tallystick_owner using (true);
create policy search on invoices for select to tallystick_owner using (true);
create policy search on credit_notes for select to tallystick_owner using (true);
create policy search on subscriptions for select to tallystick_owner using (true);

-- The ids of records of the current organization whose names, numbers or external ids are like a pattern, at most so many. It takes no
-- organization: without one that is set, it finds nothing. The caller reads the records behind its own policy. Only the indexes above are
-- used: with old statistics, the planner would read all invoices instead.
create function find_ids(kind text, pattern text, ids_max integer) returns table (organization_id uuid, id uuid)
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set jit = off
  as $$
begin
  return query execute case kind
    when 'customers' then
      'select organization_id, id from public.customers
       where organization_id = $1 and (name ilike $2 or legal_name ilike $2 or external_id ilike $2 or email ilike $2) limit $3'
    -- Numbers are in upper case, and so is the pattern.
    when 'invoices' then
      'select organization_id, id from public.invoices where organization_id = $1 and number like $2 limit $3'
    when 'credit_notes' then
      'select organization_id, id from public.credit_notes where organization_id = $1 and number ilike $2 limit $3'
    when 'subscriptions' then
      'select organization_id, id from public.subscriptions
       where organization_id = $1 and (name ilike $2 or external_id ilike $2) limit $3'
  end
  using public.current_organization(), pattern, ids_max;
end
$$;
revoke execute on function find_ids from public;
grant execute on function find_ids to tallystick_app;

-- Takes the place of invoices_customer. It has every column of filters, counts and the summary, so that those of the customers that a search
-- finds read no invoice.
create index invoices_of_customers on invoices (organization_id, customer_id, issuing_date desc, created_at desc, id desc)
  include (status, payment_status, payment_overdue, currency, invoice_type, number, payment_dispute_lost_at, has_receivable,
    total_amount_cents, paid_amount_cents, written_off_amount_cents)
  where status <> 'generating';
drop index invoices_customer;
