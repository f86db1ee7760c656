/** One message to one endpoint: what was sent, and what came back. */
import type { WebhookAttempt, WebhookWithPayload } from "@tallystick/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { apiOf } from "../../api/client.ts";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { showSecond } from "../../format/instants.ts";
import { indentJson } from "../../format/json.ts";
import { Action } from "../../ui/action.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import { Status } from "../../ui/status.tsx";
import { endpointsQuery, webhookQuery } from "./queries.ts";
import { errorInWords, STATES } from "./states.ts";
import classes from "./webhook-page.module.css";

export function WebhookPage() {
  const { organization, id } = useParams({ from: "/o/$organization/webhooks/$id" });
  const { data: webhook, error } = useQuery(webhookQuery(organization, id));
  return (
    <>
      <BackLink to="/o/$organization/webhooks" params={{ organization }}>
        Webhooks
      </BackLink>
      <Problem error={error} />
      {webhook && <Message organization={organization} webhook={webhook} />}
    </>
  );
}

type PartProps = { organization: string; webhook: WebhookWithPayload };

function Message({ organization, webhook }: PartProps) {
  const { svc_id: id, webhook_type, attempts, payload } = webhook;
  const refusal = useRefusal(organization, "webhook_endpoint");
  const queryClient = useQueryClient();
  const retry = useMutation({
    mutationFn: () => apiOf(organization).webhooks.retry(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["webhooks", organization] }),
  });
  return (
    <>
      <PageTitle title={webhook_type} under={<Under organization={organization} webhook={webhook} />}>
        <Action refusal={refusal} loading={retry.isPending} onClick={() => retry.mutate()}>
          {webhook.status === "succeeded" ? "Send again" : "Retry now"}
        </Action>
      </PageTitle>
      <Problem error={retry.error} />
      <div className={classes.columns}>
        <section aria-label="Attempts">
          <h2 className={classes.title}>Attempts</h2>
          {attempts.length === 0 && <p className={classes.weak}>There was none yet.</p>}
          {attempts.toReversed().map((attempt, index) => (
            <Attempt key={attempt.number} attempt={attempt} isOpen={index === 0} />
          ))}
        </section>
        <section aria-label="Payload">
          <h2 className={classes.title}>Payload</h2>
          <pre className={classes.payload}>{indentJson(payload)}</pre>
        </section>
      </div>
    </>
  );
}

function Under({ organization, webhook }: PartProps) {
  const { data: endpoints } = useQuery(endpointsQuery(organization));
  const endpoint = endpoints?.find(({ svc_id }) => svc_id === webhook.svc_webhook_endpoint_id);
  return (
    <>
      <Status state={STATES[webhook.status]} />
      {endpoints && <span className={classes.url}>to {endpoint?.webhook_url ?? "an endpoint that was deleted"}</span>}
      <span>created {showSecond(webhook.created_at)}</span>
      {webhook.next_attempt_at && <span>next attempt {showSecond(webhook.next_attempt_at)}</span>}
      {webhook.replayed_at && <span>sent again {showSecond(webhook.replayed_at)}</span>}
      {webhook.object_type === "invoice" && (
        <Link
          to="/o/$organization/invoices/$id"
          params={{ organization, id: webhook.object_id }}
          className={classes.link}
        >
          Open the invoice
        </Link>
      )}
    </>
  );
}

function Attempt({ attempt, isOpen }: { attempt: WebhookAttempt; isOpen: boolean }) {
  const { number, url, request_headers: headers, started_at, duration_ms, http_status, response_body, error } = attempt;
  return (
    <details className={classes.attempt} open={isOpen}>
      <summary>
        <strong>{number}.</strong>{" "}
        <span className={classes.answer} data-good={(http_status !== null && http_status < 300) || undefined}>
          {http_status ?? errorInWords(error ?? "no_answer")}
        </span>{" "}
        <span className={classes.weak}>
          {showSecond(started_at)}, {duration_ms} ms
        </span>
      </summary>
      <h3>Request</h3>
      <pre>
        {`POST ${url}\n${Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join("\n")}`}
      </pre>
      <h3>Answer</h3>
      {http_status === null ? (
        <p className={classes.weak}>There was none: {errorInWords(error ?? "no_answer")}.</p>
      ) : (
        <pre>{response_body || "Empty"}</pre>
      )}
    </details>
  );
}
