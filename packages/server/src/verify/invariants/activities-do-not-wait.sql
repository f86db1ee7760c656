-- Workers seal activities within seconds, so that none can vanish before it is in the chain.
select organization_id, activity_id as activity, recorded_at
from activity_seals
where sequence is null and recorded_at < current_setting('verify.now')::timestamptz - interval '10 minutes'
