/** What must be true when everything is settled, counted in SQL over what the service and the receiver wrote. */
import { countRow, type Findings, type Records } from "../../invoice-checks.ts";

export const check = async (verifier: Records): Promise<Findings> => ({
  broken: await countRow(verifier, BROKEN),
  figures: await countRow(verifier, FIGURES),
});

/** What is still to be dispatched or sent. */
export async function countOpen(verifier: Records): Promise<{ open: number }> {
  const { open = 0 } = await countRow(verifier, `select ${OPEN_MESSAGES} + ${OPEN_DELIVERIES} as open`);
  return { open };
}

const OPEN_MESSAGES = "(select count(*) from outbox where dispatched_at is null)";
const OPEN_DELIVERIES = "(select count(*) from webhook_deliveries where settled_at is null)";

/** All endpoints were there before the first message. */
const BROKEN = `
  with published as (
    select message.id as message_id, endpoint.id as endpoint_id, sha256(convert_to(message.payload::text, 'UTF8')) as digest
    from outbox message join webhook_endpoints endpoint on endpoint.organization_id = message.organization_id
  )
  select
    ${OPEN_MESSAGES} as "messagesOpen",
    ${OPEN_DELIVERIES} as "deliveriesOpen",
    (select count(*) from webhook_deliveries where status = 'failed') as "deliveriesGivenUp",
    (select count(*) from published where not exists (
      select from prove.received where received.message_id = published.message_id and received.endpoint_id = published.endpoint_id
    )) as "notReceived",
    (select count(*) from published where not exists (
      select from prove.received where received.message_id = published.message_id and received.endpoint_id = published.endpoint_id
        and answered = 200
    )) as "notTaken",
    (select count(*) from prove.received where not exists (
      select from published where published.message_id = received.message_id and published.endpoint_id = received.endpoint_id
    )) as "unknownIdsReceived",
    (select count(*) from prove.received join published using (message_id, endpoint_id) where received.digest <> published.digest)
      as "otherBytesReceived",
    (select count(*) from prove.received where faults <> '{}') as "signaturesWrong"`;

const FIGURES = `
  with pairs as (
    select endpoint_id, message_id, count(*) as times, count(*) filter (where answered = 200) as taken
    from prove.received group by endpoint_id, message_id
  )
  select
    (select count(*) from outbox) as messages,
    (select count(*) from webhook_endpoints) as endpoints,
    (select count(*) from webhook_deliveries) as deliveries,
    (select count(*) from webhook_attempts) as "attemptsLogged",
    (select count(*) from prove.received) as received,
    (select count(*) from prove.received where answered <> 200) as refused,
    (select count(*) from pairs where times > 1) as "sentMoreThanOnce",
    (select coalesce(sum(taken - 1), 0) from pairs where taken > 1) as duplicates`;
