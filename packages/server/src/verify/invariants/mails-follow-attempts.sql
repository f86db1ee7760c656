-- Every attempt to send an email was recorded before it began, and the status of the email follows from the last attempt.
select mail.organization_id, mail.id as mail_id, mail.status, mail.attempts, log.attempts as logged, log.open, log.last_outcome
from mails mail
cross join lateral (
  select count(*) as attempts, coalesce(max(number), 0) as last, count(*) filter (where outcome is null) as open,
    max(outcome) filter (where number = mail.attempts) as last_outcome
  from mail_attempts attempt
  where attempt.organization_id = mail.organization_id and attempt.mail_id = mail.id
) as log
where log.attempts <> mail.attempts or log.last <> mail.attempts
  or log.open <> (mail.status = 'sending')::integer
  or (mail.status = 'sending' and log.last_outcome is not null)
  or (mail.status = 'unknown' and log.last_outcome is distinct from 'unknown')
  or (mail.status = 'failed' and coalesce(log.last_outcome, '') not in ('deferred', 'refused'))
