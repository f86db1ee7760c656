-- Run after the job library has made its schema; safe to repeat.
-- The library's tables are closed to all but their owner (the dispatcher). A request asks for a job through this one
-- function, which stamps the organization of the transaction on it: no request can make work for another tenant.
create or replace function graphile_worker.enqueue_job(task text, payload json, job_key text, max_attempts integer)
  returns void
  language plpgsql security definer set search_path = pg_catalog, public
  as $$
begin
  if public.current_organization() is null then
    raise exception 'a job needs an organization';
  end if;
  perform graphile_worker.add_job(
    task,
    json_build_object('organization_id', public.current_organization(), 'payload', payload),
    -- The same key of two organizations is two jobs.
    job_key => public.current_organization()::text || ':' || job_key,
    max_attempts => max_attempts
  );
end
$$;
revoke all on function graphile_worker.enqueue_job from public;
grant execute on function graphile_worker.enqueue_job to tallystick_app;
grant usage on schema graphile_worker to tallystick_app;
