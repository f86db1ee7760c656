-- The dispatcher needed this only while the job library created its schema.
do $$
begin
  execute format('revoke create on database %I from tallystick_dispatcher', current_database());
end
$$;
