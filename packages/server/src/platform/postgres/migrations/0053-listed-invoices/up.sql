-- A search of invoices looks at all of them. Their rows are wide; this index has every column that lists, searches, counts and the summary
-- need. It takes the place of two others.
create index invoices_listed on invoices (organization_id, issuing_date desc, created_at desc, id desc)
  include (status, payment_status, payment_overdue, currency, invoice_type, customer_id, number, payment_dispute_lost_at, has_receivable,
    total_amount_cents, paid_amount_cents, written_off_amount_cents)
  where status <> 'generating';
drop index invoices_list;
drop index invoices_summary;
