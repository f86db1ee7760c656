-- An email to the owners of an organization has a text of its own in place of a document.
alter table mails alter column document_id drop not null, add column body text;
alter table mails add constraint mails_content check ((document_id is null) = (body is not null)) not valid;
create index mails_notices on mails (organization_id, created_at desc) where document_id is null;

-- What waits for an operator and is mailed to the owners: each item once, in one email with others.
create table notice_items (
  organization_id uuid not null references organizations (id),
  kind text not null check (kind in ('parked_item', 'held_invoice')),
  item_id uuid not null,
  noted_at timestamptz not null,
  -- When an email may list it.
  ready_at timestamptz not null,
  -- Set: an email lists it, or the organization had no address.
  settled_at timestamptz,
  mail_id uuid,
  -- Never twice.
  primary key (organization_id, kind, item_id),
  foreign key (organization_id, mail_id) references mails (organization_id, id),
  check (mail_id is null or settled_at is not null)
);
select protect_tenant_table('notice_items');
create index notice_items_waiting on notice_items (ready_at) where settled_at is null;
create index notice_items_mail on notice_items (organization_id, mail_id) where mail_id is not null;

-- The dispatcher sees, over all organizations, that something waits, and not what.
create policy dispatch on notice_items for select to tallystick_dispatcher using (settled_at is null);
grant select (organization_id, ready_at, settled_at) on notice_items to tallystick_dispatcher;
