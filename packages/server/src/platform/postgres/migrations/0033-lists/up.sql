-- Orders and filters of lists that an organization with a million records could not answer without reading all of them.
create index customers_name on customers (organization_id, name, id) where deleted_at is null;
create index subscriptions_created on subscriptions (organization_id, created_at, id);
create index invoices_created on invoices (organization_id, created_at, id) where status <> 'generating';
-- Counts by state are read from the index alone, and a rare state is found without the others.
create index invoices_states on invoices (organization_id, status, payment_status, invoice_type);
create index credit_notes_issued on credit_notes (organization_id, issuing_date, created_at, id);
-- Only fees in advance have one.
create index fees_event on fees (organization_id, event_transaction_id) where event_transaction_id is not null;
