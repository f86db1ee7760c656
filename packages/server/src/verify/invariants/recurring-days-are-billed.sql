-- After a plan change, every local day of a recurring metric that both plans charge is billed by exactly one of the two charges, unless the
-- day was returned.
with charged as (
  -- The only charge of a plan on a metric, if it is the same in all versions of the plan.
  select v.organization_id, v.plan_id, metric.id as metric_id, min(charge ->> 'id') as charge_id,
    bool_or(coalesce(charge -> 'pay_in_advance' = 'true', false)) as is_in_advance, bool_or(coalesce(charge -> 'prorated' = 'true', false)) as is_prorated
  from plan_versions v
  join plans on plans.organization_id = v.organization_id and plans.id = v.plan_id
  cross join jsonb_array_elements(v.terms -> 'charges') as charge
  join billable_metrics metric on metric.organization_id = v.organization_id and metric.id = (charge ->> 'billable_metric_id')::uuid
  where metric.recurring and metric.aggregation_type <> 'weighted_sum_agg'
  group by v.organization_id, v.plan_id, metric.id, plans.version
  having count(*) = plans.version and count(distinct charge ->> 'id') = 1
    and count(distinct (charge -> 'pay_in_advance', charge -> 'prorated')) = 1
),
changes as (
  select next.organization_id, old.id as old_id, next.id as next_id, next.start_day as day, old.end_cause, of_old.metric_id,
    of_old.charge_id as old_charge_id, of_old.is_in_advance as old_in_advance, of_old.is_prorated as old_prorated,
    coalesce(priced.charge_id, of_next.charge_id) as next_charge_id, of_next.is_in_advance as next_in_advance, of_next.is_prorated as next_prorated,
    greatest(old_period.first_day, old.start_day) as first_day, old_period.starts_at as old_from, old_period.ends_at as old_to,
    daterange(old_period.first_day, old_period.last_day, '[]') as old_days,
    daterange(next_period.first_day, next_period.last_day, '[]') as next_days, next_period.last_day,
    closing.id as closing_id, closing.windows as closing, billing.id as billing_id, billing.windows as billing
  from subscriptions next
  join subscriptions old on old.organization_id = next.organization_id and old.id = next.previous_subscription_id
  join charged of_old on of_old.organization_id = old.organization_id and of_old.plan_id = old.plan_id
  join charged of_next
    on of_next.organization_id = next.organization_id and of_next.plan_id = next.plan_id and of_next.metric_id = of_old.metric_id
  join bills closing
    on closing.organization_id = old.organization_id and closing.subscription_id = old.id and closing.reason = 'terminating'
  join lateral (
    select * from subscription_periods
    where organization_id = old.organization_id and subscription_id = old.id and kind = 'charges' order by starts_at desc limit 1
  ) as old_period on true
  join lateral (
    select * from subscription_periods
    where organization_id = next.organization_id and subscription_id = next.id and kind = 'charges' order by starts_at limit 1
  ) as next_period on true
  -- In advance with the change, in arrears when the first period closes.
  left join bills billing on billing.organization_id = next.organization_id and billing.subscription_id = next.id
    and case
      when of_next.is_in_advance then billing.reason = 'starting'
      else billing.reason = 'periodic' and billing.occurred_at = next_period.ends_at
    end
  -- Prices that were agreed on later gave the subscription's charges other ids. Use the ids that the bill was made with.
  left join invoice_bills link on link.organization_id = billing.organization_id and link.bill_id = billing.id
  left join charged priced
    on priced.organization_id = link.organization_id and priced.plan_id = link.priced_plan_id and priced.metric_id = of_old.metric_id
  where next.started_at is not null and (of_next.is_in_advance or billing.id is not null)
    -- If a period has several changes, this check covers only the first.
    and (old.previous_subscription_id is null or old.start_day < old_period.first_day)
),
parts as (
  select changes.*, closing -> 'parts' -> old_charge_id as old_part, billing -> 'parts' -> next_charge_id as next_part,
    -- Bills of earlier releases do not store which charge bills which days.
    jsonb_typeof(closing -> 'parts') = 'object' and coalesce(jsonb_typeof(billing -> 'parts') = 'object', true) as is_explicit
  from changes
),
covered as (
  select parts.*,
    case
      when old_in_advance then datemultirange(old_days) - coalesce((
        select range_agg(daterange((back ->> 'firstDay')::date, (back ->> 'lastDay')::date, '[]'))
        from jsonb_array_elements(case when jsonb_typeof(closing -> 'returned') = 'array' then closing -> 'returned' else '[]' end) as back
        where back ->> 'chargeId' = old_charge_id
      ), '{}'::datemultirange)
      when old_part ->> 'type' = 'left_out' then '{}'
      when old_part ->> 'type' = 'days'
        then datemultirange(daterange((old_part ->> 'firstDay')::date, (old_part ->> 'lastDay')::date, '[]'))
      when old_part is null and old_prorated then datemultirange(daterange(first_day, greatest(first_day, day)))
      when old_part is null and not is_explicit and end_cause = 'upgraded' then '{}'
      else datemultirange(old_days)
    end as by_old,
    case
      when next_part ->> 'type' = 'left_out' then '{}'
      when next_part ->> 'type' = 'days'
        then datemultirange(daterange((next_part ->> 'firstDay')::date, (next_part ->> 'lastDay')::date, '[]'))
      when next_part ->> 'type' in ('whole', 'beyond_paid') then datemultirange(next_days)
      when next_in_advance then case
        when not is_explicit and jsonb_typeof(billing -> 'renewal') = 'object' then datemultirange(next_days) else '{}'
      end
      when next_prorated then datemultirange(daterange(day, last_day, '[]'))
      else datemultirange(next_days)
    end as by_next
  from parts
),
judged as (
  select covered.*, datemultirange(daterange(least(first_day, day), last_day, '[]')) - by_old - by_next as missing,
    case when next_part ->> 'type' = 'beyond_paid' then '{}' else by_old * by_next end as twice
  from covered
)
select organization_id, old_id as subscription_id, next_id as next_subscription_id, metric_id as billable_metric_id,
  case when is_explicit and not isempty(missing) then 'these days are not billed' else 'these days are billed twice' end as fault,
  case when is_explicit and not isempty(missing) then missing else twice end as days
from judged
where case
  when is_explicit then not isempty(missing) or not isempty(twice)
  -- An earlier release may have billed twice. That is a fault if both fees cost something and neither was credited.
  else not isempty(twice) and exists (
    select from fees old_fee
    join fees next_fee on next_fee.organization_id = old_fee.organization_id and next_fee.subscription_id = judged.next_id
      and next_fee.charge_id::text = judged.next_charge_id and next_fee.bill_id = judged.billing_id
    where old_fee.organization_id = judged.organization_id and old_fee.subscription_id = judged.old_id
      and old_fee.charge_id::text = judged.old_charge_id and old_fee.amount_cents > 0 and next_fee.amount_cents > 0
      and old_fee.deleted_at is null and next_fee.deleted_at is null
      and case
        when judged.old_in_advance then old_fee.from_at >= judged.old_from and old_fee.from_at < judged.old_to
        else old_fee.bill_id = judged.closing_id
      end
      and not exists (
        select from credit_note_items item
        where item.organization_id = old_fee.organization_id and item.fee_id in (old_fee.id, next_fee.id)
      )
  )
end
