-- After the tables of the subject.
grant usage on schema prove to tallystick_app, tallystick_dispatcher, tallystick_verifier;
grant select, insert, update, delete on all tables in schema prove to tallystick_app, tallystick_dispatcher;
grant select on all tables in schema prove to tallystick_verifier;
grant usage on all sequences in schema prove to tallystick_app, tallystick_dispatcher;
