-- What a fee is for, so that no reader takes its key apart. A fee of a charge is for usage in arrears, a renewal, the true-up to a
-- minimum, one event in advance, or what a change of plan leaves of a fee in advance.
alter table fees add column kind text check (
  kind in ('subscription', 'commitment', 'usage', 'renewal', 'true_up', 'in_advance', 'prorated', 'add_on', 'credit')
);

create function kind_of_fee(fee_type text, is_renewal boolean, event_id uuid, derivation jsonb) returns text
  language sql immutable
  as $$
  select case
    when fee_type <> 'charge' then fee_type
    when is_renewal then 'renewal'
    when event_id is not null then 'in_advance'
    when derivation ->> 'type' = 'charge_minimum' then 'true_up'
    when derivation ->> 'type' = 'in_advance' then 'prorated'
    else 'usage'
  end
$$;

-- The owner is bound by row level security as well, and a fee never changes, so both are off for what follows.
alter table fees no force row level security;
alter table fees disable trigger stays_as_billed;
update fees set kind = kind_of_fee(fee_type, is_renewal, event_id, derivation);
set constraints all immediate;
alter table fees enable trigger stays_as_billed;
alter table fees force row level security;

alter table fees alter column kind set not null;
alter table fees add constraint fees_kind_fits check (
  case fee_type when 'charge' then kind in ('usage', 'renewal', 'true_up', 'in_advance', 'prorated') else kind = fee_type end
);
alter table fees add constraint fees_kind_of_renewal check ((kind = 'renewal') = is_renewal);
alter table fees add constraint fees_kind_of_event check ((kind = 'in_advance') = (event_id is not null));

-- For processes of the previous release, which do not know the column. The next release drops it, and the function.
create function fill_fee_kind() returns trigger
  language plpgsql
  as $$
begin
  new.kind := kind_of_fee(new.fee_type, new.is_renewal, new.event_id, new.derivation);
  return new;
end
$$;
create trigger kind_of_previous_release before insert on fees for each row when (new.kind is null) execute function fill_fee_kind();
