-- How a subscription that replaced another one bills its recurring charges in its first charges period. null: it replaced none, or did so
-- before this was kept.
alter table subscriptions add column takeover jsonb check (jsonb_typeof(takeover) = 'object');

-- Days that were paid in advance may stand on several invoices: each has one note.
drop index credit_notes_of_subscription;
create unique index credit_notes_of_subscription on credit_notes (organization_id, unused_of_subscription_id, invoice_id)
  where unused_of_subscription_id is not null;
