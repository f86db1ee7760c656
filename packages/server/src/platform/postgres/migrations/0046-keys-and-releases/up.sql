-- Set: the key was rotated. A key is replaced once.
alter table api_keys add column replaced_at timestamptz;
create index api_keys_list on api_keys (organization_id, created_at desc, id desc);

-- Why an operator released the invoice; null if both computations agreed later, or if the command gave no reason.
alter table second_opinions add column release_reason text check (release_reason <> '');
create index second_opinions_list on second_opinions (organization_id, held_at desc, invoice_id desc);
