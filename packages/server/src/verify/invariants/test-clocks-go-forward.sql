-- A test clock belongs to a sandbox organization and never moves backward.
select t.organization_id, t.id as test_clock_id, t.now, t.advancing_to, o.is_sandbox
from test_clocks t
left join organizations o on o.id = t.organization_id
where o.is_sandbox is not true or t.advancing_to < t.now
