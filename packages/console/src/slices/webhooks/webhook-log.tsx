/** Every message to every endpoint, by state, type, endpoint and time. */
import { Button, NativeSelect } from "@mantine/core";
import type { Webhook, WebhookEndpoint, WebhookReplay, WebhookType } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { showSecond } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import bar from "../../ui/list-bar.module.css";
import { Pages } from "../../ui/pages.tsx";
import { Status } from "../../ui/status.tsx";
import table from "../../ui/table.module.css";
import { TYPES } from "./messages.ts";
import { webhooksQuery } from "./queries.ts";
import { STATUSES, type WebhookSearch } from "./search.ts";
import { answerInWords, STATES } from "./states.ts";
import classes from "./webhooks-page.module.css";

const ReplayDialog = lazy(async () => ({ default: (await import("./replay-dialog.tsx")).ReplayDialog }));

const FROM = "/o/$organization/webhooks";
const NAMES = { pending: "Waiting", retrying: "Will be retried", failed: "Failed", succeeded: "Delivered" } as const;
const SINCE_LABELS = [
  { value: "", label: "All that is kept" },
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
];

type Props = { organization: string; endpoints: readonly WebhookEndpoint[]; refusal: string | undefined };

export function WebhookLog({ organization, endpoints, refusal }: Props) {
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const go = (next: WebhookSearch) => void navigate({ to: FROM, params: { organization }, search: next });
  const { data, error } = useQuery(webhooksQuery(organization, search));
  const [isReplaying, setReplaying] = useState(false);
  const [replay, setReplay] = useState<WebhookReplay>();
  const isFiltered = Boolean(search.status || search.type || search.endpoint || search.since);
  if (endpoints.length === 0 && !isFiltered && !data?.items.length) return null;
  return (
    <section aria-label="Log">
      <h2 className={classes.logTitle}>Log</h2>
      <div className={bar.bar}>
        <nav className={bar.views} aria-label="Views">
          {([undefined, ...STATUSES] as const).map((status) => (
            <Link
              key={status ?? "all"}
              to={FROM}
              params={{ organization }}
              search={{ ...search, status, page: undefined }}
              className={bar.view}
              aria-current={search.status === status ? "page" : undefined}
              activeOptions={{ exact: true }}
            >
              {status ? NAMES[status] : "All"}
            </Link>
          ))}
        </nav>
      </div>
      <div className={classes.filters}>
        <Filters endpoints={endpoints} search={search} onChange={go} />
        <Action variant="default" refusal={refusal} onClick={() => setReplaying(true)}>
          Send these again
        </Action>
      </div>
      {replay && (
        <p className={classes.done} role="status">
          {repliesInWords(replay)}
        </p>
      )}
      <Problem error={error} />
      {data && data.items.length > 0 && (
        <WebhookTable organization={organization} endpoints={endpoints} webhooks={data.items} />
      )}
      {data?.items.length === 0 && (
        <EmptyState title={isFiltered ? "No message fits" : "Nothing was sent yet"}>
          {isFiltered ? (
            <Button variant="default" onClick={() => go({})}>
              Show all messages
            </Button>
          ) : (
            <p>Change something, for example a customer: the message appears here.</p>
          )}
        </EmptyState>
      )}
      {data && <Pages meta={data.meta} one="message" many="messages" onGo={(page) => go({ ...search, page })} />}
      <Suspense fallback={null}>
        {isReplaying && (
          <ReplayDialog
            organization={organization}
            search={search}
            onReplayed={setReplay}
            onClose={() => setReplaying(false)}
          />
        )}
      </Suspense>
    </section>
  );
}

const repliesInWords = ({ count, skipped_count: skipped }: WebhookReplay): string =>
  `${count} ${count === 1 ? "message is" : "messages are"} sent again.${
    skipped > 0 ? ` ${skipped} not: their endpoint is disabled or deleted.` : ""
  }`;

type FilterProps = {
  endpoints: readonly WebhookEndpoint[];
  search: WebhookSearch;
  onChange: (search: WebhookSearch) => void;
};

function Filters({ endpoints, search, onChange }: FilterProps) {
  const set = (change: WebhookSearch) => onChange({ ...search, ...change, page: undefined });
  return (
    <>
      <NativeSelect
        size="xs"
        label="Message"
        data={[{ value: "", label: "Every message" }, ...TYPES]}
        value={search.type ?? ""}
        onChange={({ currentTarget }) => set({ type: (currentTarget.value as WebhookType) || undefined })}
      />
      <NativeSelect
        size="xs"
        label="To"
        data={[
          { value: "", label: "Every endpoint" },
          ...endpoints.map(({ svc_id, name, webhook_url }) => ({ value: svc_id, label: name || webhook_url })),
        ]}
        value={search.endpoint ?? ""}
        onChange={({ currentTarget }) => set({ endpoint: currentTarget.value || undefined })}
      />
      <NativeSelect
        size="xs"
        label="Created"
        data={SINCE_LABELS}
        value={search.since ?? ""}
        onChange={({ currentTarget }) => set({ since: (currentTarget.value as WebhookSearch["since"]) || undefined })}
      />
    </>
  );
}

type TableProps = { organization: string; endpoints: readonly WebhookEndpoint[]; webhooks: readonly Webhook[] };

function WebhookTable({ organization, endpoints, webhooks }: TableProps) {
  const addressOf = (id: string) => endpoints.find(({ svc_id }) => svc_id === id);
  return (
    <table className={`${table.table} ${classes.log}`}>
      <thead>
        <tr>
          <th scope="col">Message</th>
          <th scope="col">Status</th>
          <th scope="col">To</th>
          <th scope="col">Attempts</th>
          <th scope="col">Last answer</th>
          <th scope="col">Created</th>
        </tr>
      </thead>
      <tbody>
        {webhooks.map((webhook) => {
          const endpoint = addressOf(webhook.svc_webhook_endpoint_id);
          return (
            <tr key={webhook.svc_id}>
              <td className={classes.type}>
                <Link
                  to="/o/$organization/webhooks/$id"
                  params={{ organization, id: webhook.svc_id }}
                  className={table.cover}
                >
                  {webhook.webhook_type}
                </Link>
              </td>
              <td>
                <Status state={STATES[webhook.status]} />
              </td>
              <td className={classes.to}>{endpoint ? endpoint.name || endpoint.webhook_url : "A deleted endpoint"}</td>
              <td className={classes.at}>{attemptsOf(webhook)}</td>
              <td className={classes.answer}>{answerInWords(webhook)}</td>
              <td className={classes.at}>{showSecond(webhook.created_at)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const attemptsOf = ({ attempts }: Webhook): string =>
  attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`;
