/** The endpoints, and how the last day went for each. */
import { Button, Menu } from "@mantine/core";
import type { WebhookEndpoint } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { showInstantDay } from "../../format/instants.ts";
import { Status } from "../../ui/status.tsx";
import table from "../../ui/table.module.css";
import { healthQuery } from "./queries.ts";
import { answerInWords } from "./states.ts";
import classes from "./webhooks-page.module.css";

export type OpenDialog =
  | { name: "edit"; endpoint?: WebhookEndpoint }
  | { name: "rotate" | "delete" | "secret"; endpoint: WebhookEndpoint };

type Props = {
  organization: string;
  endpoints: readonly WebhookEndpoint[];
  refusal: string | undefined;
  onOpen: (open: OpenDialog) => void;
};

export function EndpointTable({ organization, endpoints, refusal, onOpen }: Props) {
  return (
    <table className={`${table.table} ${classes.endpoints}`}>
      <thead>
        <tr>
          <th scope="col">Endpoint</th>
          <th scope="col">Messages</th>
          <th scope="col">Status</th>
          <th scope="col">Last 24 hours</th>
          <th scope="col" className={table.amount}>
            Change
          </th>
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <tr key={endpoint.svc_id}>
            <td className={classes.url}>
              {endpoint.name || endpoint.webhook_url}
              {endpoint.name && <span className={classes.small}>{endpoint.webhook_url}</span>}
              {endpoint.secret_last4 && <span className={classes.small}>Secret ends in {endpoint.secret_last4}</span>}
            </td>
            <td className={classes.receives}>{messagesOf(endpoint)}</td>
            <td>
              <Status state={endpoint.disabled_at ? "disabled" : "enabled"} />
              {endpoint.disabled_at && (
                <span className={classes.small}>since {showInstantDay(endpoint.disabled_at)}</span>
              )}
            </td>
            <td className={classes.day}>
              <Health organization={organization} endpoint={endpoint} />
            </td>
            <td className={`${table.amount} ${classes.more}`}>
              <Menu position="bottom-end">
                <Menu.Target>
                  <Button variant="default" px={8} aria-label={`Change ${endpoint.name || endpoint.webhook_url}`}>
                    <Ellipsis size={16} />
                  </Button>
                </Menu.Target>
                <Menu.Dropdown>
                  {refusal && <Menu.Label>{refusal}</Menu.Label>}
                  {ACTIONS.map(({ name, label }) => (
                    <Menu.Item key={name} disabled={refusal !== undefined} onClick={() => onOpen({ name, endpoint })}>
                      {name === "edit" && endpoint.disabled_at ? "Change, and enable again" : label}
                    </Menu.Item>
                  ))}
                </Menu.Dropdown>
              </Menu>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const ACTIONS = [
  { name: "edit", label: "Change" },
  { name: "rotate", label: "Rotate the secret" },
  { name: "delete", label: "Delete" },
] as const;

function messagesOf({ event_types: types }: WebhookEndpoint): string {
  if (types === null) return "All";
  return types.length > 2 ? `${types.length} types` : types.join(", ");
}

function Health({ organization, endpoint }: { organization: string; endpoint: WebhookEndpoint }) {
  const { data } = useQuery(healthQuery(organization, endpoint.svc_id));
  if (!data) return null;
  const { delivered, notDelivered, last } = data;
  return (
    <>
      {delivered} delivered
      {notDelivered > 0 && (
        <>
          {", "}
          <Link
            to="/o/$organization/webhooks"
            params={{ organization }}
            search={{ endpoint: endpoint.svc_id, since: "24h" }}
            className={classes.link}
          >
            {notDelivered} not
          </Link>
        </>
      )}
      {last && <span className={classes.small}>Last refusal: {answerInWords(last)}</span>}
      {endpoint.disabled_at && (
        <span className={classes.small}>
          Nothing is sent: it answered 410, or accepted nothing for as long as a message is retried.
        </span>
      )}
    </>
  );
}
