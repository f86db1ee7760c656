-- The columns of a bill, which constraints check, and its JSON windows, from which it is computed, contain the same fee and usage windows.
select organization_id, id as bill_id, subscription_id, "column", in_column, in_windows
from bills
cross join lateral (
  values
    ('fee_from', fee_from, windows #>> '{fee,from}'),
    ('fee_to', fee_to, windows #>> '{fee,to}'),
    ('charges_from', charges_from, windows #>> '{charges,from}'),
    ('charges_to', charges_to, windows #>> '{charges,to}')
) as sides ("column", in_column, in_windows)
where in_column is distinct from
  -- Cast only a text that is an instant: casting any other text would end the check.
  case when in_windows ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$' then in_windows::timestamptz end
  or in_column is null and in_windows is not null
