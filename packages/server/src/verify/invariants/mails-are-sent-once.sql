-- A document has at most one email, and the mail server accepts it at most once. No attempt follows an accepted one, and an email is marked
-- as sent if and only if it was accepted.
select mail.organization_id, mail.id as mail_id, mail.document_id, mail.status, log.taken, log.after_taken, same.mails
from mails mail
cross join lateral (
  select count(*) filter (where attempt.outcome = 'taken') as taken,
    count(*) filter (where attempt.number > first_taken.number) as after_taken
  from mail_attempts attempt
  left join lateral (
    select min(number) as number from mail_attempts earlier
    where earlier.organization_id = mail.organization_id and earlier.mail_id = mail.id and earlier.outcome = 'taken'
  ) as first_taken on true
  where attempt.organization_id = mail.organization_id and attempt.mail_id = mail.id
) as log
cross join lateral (
  select count(*) as mails from mails other
  where other.organization_id = mail.organization_id and other.document_id = mail.document_id
) as same
where log.taken <> (mail.status = 'sent')::integer or log.after_taken > 0 or same.mails <> 1
