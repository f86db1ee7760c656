-- GET /invoices/summary counts and sums a million invoices. Their rows are wide; this index has all columns that it needs.
create index invoices_summary on invoices (organization_id, status, payment_status, payment_overdue, currency, issuing_date)
  include (invoice_type, customer_id, created_at, payment_dispute_lost_at, has_receivable, total_amount_cents,
    paid_amount_cents, written_off_amount_cents)
  where status <> 'generating';
