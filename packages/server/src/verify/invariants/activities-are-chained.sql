-- The sealed activities of an organization are a chain without gap, from where it was pruned to its head, and every organization has one.
select organization_id, sequence, fault
from (
  select s.organization_id, s.sequence,
    case
      when s.sequence <> lag(s.sequence, 1, h.pruned_sequence) over chain + 1 then 'the activities before it are gone, or it is there twice'
      when s.chain <> sha256(lag(s.chain, 1, h.pruned_chain) over chain || s.row_digest) then 'the chain is broken here'
    end as fault
  from activity_seals s
  join activity_heads h on h.organization_id = s.organization_id
  where s.sequence is not null
  window chain as (partition by s.organization_id order by s.sequence)
  union all
  select o.id, h.sequence,
    case
      when h.organization_id is null then 'the organization has no chain'
      when h.sequence <> coalesce(last.sequence, h.pruned_sequence) then 'the chain does not end at its head'
      when h.chain <> coalesce(last.chain, h.pruned_chain) then 'the head has another chain'
      when h.pruned_sequence = 0 and h.pruned_chain <> sha256(convert_to(o.id::text, 'UTF8')) then 'the chain is of another organization'
    end
  from organizations o
  left join activity_heads h on h.organization_id = o.id
  left join lateral (
    select sequence, chain from activity_seals
    where organization_id = o.id and sequence is not null order by sequence desc limit 1
  ) as last on true
) as link
where fault is not null
