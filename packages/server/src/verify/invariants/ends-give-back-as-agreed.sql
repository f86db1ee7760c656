-- The credit note for the unused days of an ended subscription is the one that was agreed: none if it was to be skipped, and a refund only
-- if that was agreed. A change of plan credits.
select note.organization_id, note.id as credit_note_id, s.id as subscription_id, s.end_cause, s.on_termination_credit_note,
  note.refund_amount_cents
from credit_notes note
join subscriptions s on s.organization_id = note.organization_id and s.id = note.unused_of_subscription_id
where case s.end_cause
  when 'ended' then s.on_termination_credit_note is not distinct from 'skip'
    or note.refund_amount_cents > 0 and s.on_termination_credit_note is distinct from 'refund'
  else note.refund_amount_cents > 0
end
