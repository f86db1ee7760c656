-- Run after the job library has created its schema; safe to repeat. Only the owner (the dispatcher) can access the library's tables. A
-- request enqueues a job through this function, which adds the organization of the transaction: no request can create work for another
-- tenant.
drop function if exists graphile_worker.enqueue_job(text, json, text, integer);
-- The default is for processes of the release before, which name no queue.
create or replace function graphile_worker.enqueue_job(
  task text, payload json, job_key text, max_attempts integer, queue text default null
)
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
    -- The same key in two organizations is two jobs.
    job_key => public.current_organization()::text || ':' || job_key,
    queue_name => public.current_organization()::text || ':' || queue,
    max_attempts => max_attempts
  );
end
$$;
revoke all on function graphile_worker.enqueue_job from public;
grant execute on function graphile_worker.enqueue_job to tallystick_app;
grant usage on schema graphile_worker to tallystick_app;
