-- What the end of a subscription makes. A change of plan is no end. A credit note is null where the plan is paid in arrears, and for
-- subscriptions of earlier releases: then unused days that were paid in advance are credited.
alter table subscriptions
  add column on_termination_credit_note text check (on_termination_credit_note in ('credit', 'refund', 'skip')),
  add column on_termination_invoice text not null default 'generate' check (on_termination_invoice in ('generate', 'skip'));

-- Whether an end was billed follows from what was agreed then.
create function keep_what_the_end_made() returns trigger
  language plpgsql
  as $$
begin
  if (new.on_termination_credit_note, new.on_termination_invoice)
    is distinct from (old.on_termination_credit_note, old.on_termination_invoice) then
    raise exception 'what the end of subscription % made never changes', old.id;
  end if;
  return null;
end
$$;
create trigger keeps_its_end after update on subscriptions
  for each row when (old.status = 'terminated') execute function keep_what_the_end_made();
