/** Who is told of changes, and whether they got it. */
import { Button } from "@mantine/core";
import type { WebhookEndpoint } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { Action } from "../../ui/action.tsx";
import { PageTitle } from "../../ui/page-title.tsx";
import { EndpointTable, type OpenDialog } from "./endpoint-table.tsx";
import { MESSAGES, TYPES } from "./messages.ts";
import { endpointsQuery } from "./queries.ts";
import { WebhookLog } from "./webhook-log.tsx";
import classes from "./webhooks-page.module.css";

const EndpointDialog = lazy(async () => ({ default: (await import("./endpoint-dialog.tsx")).EndpointDialog }));
const RotateSecretDialog = lazy(async () => ({ default: (await import("./endpoint-dialogs.tsx")).RotateSecretDialog }));
const DeleteEndpointDialog = lazy(async () => ({
  default: (await import("./endpoint-dialogs.tsx")).DeleteEndpointDialog,
}));
const SecretDialog = lazy(async () => ({ default: (await import("../../ui/secret-dialog.tsx")).SecretDialog }));

export function WebhooksPage() {
  const { organization } = useParams({ from: "/o/$organization/webhooks" });
  const { data: endpoints, error, refetch } = useQuery(endpointsQuery(organization));
  const [open, setOpen] = useState<OpenDialog>();
  const refusal = useRefusal(organization, "webhook_endpoint");
  const create = () => setOpen({ name: "edit" });
  return (
    <>
      <PageTitle
        title="Webhooks"
        under="Every change is sent to your endpoints, and kept here for 90 days with each attempt."
      >
        <Action refusal={refusal} onClick={create}>
          New endpoint
        </Action>
      </PageTitle>
      {error && (
        <>
          <Problem error={error} />
          <Button variant="default" onClick={() => void refetch()}>
            Try again
          </Button>
        </>
      )}
      {endpoints?.length === 0 && <NoEndpoint />}
      {endpoints && endpoints.length > 0 && (
        <EndpointTable organization={organization} endpoints={endpoints} refusal={refusal} onOpen={setOpen} />
      )}
      {endpoints && <WebhookLog organization={organization} endpoints={endpoints} refusal={refusal} />}
      <Suspense fallback={null}>
        {open && <Dialogs organization={organization} open={open} setOpen={setOpen} />}
      </Suspense>
    </>
  );
}

type DialogProps = { organization: string; open: OpenDialog; setOpen: (open: OpenDialog | undefined) => void };

function Dialogs({ organization, open, setOpen }: DialogProps) {
  const onClose = () => setOpen(undefined);
  const onSecret = (endpoint: WebhookEndpoint) => setOpen({ name: "secret", endpoint });
  if (open.name === "edit") return <EndpointDialog {...{ organization, onClose, onSecret }} endpoint={open.endpoint} />;
  const props = { organization, endpoint: open.endpoint, onClose };
  if (open.name === "rotate") return <RotateSecretDialog {...props} onSecret={onSecret} />;
  if (open.name === "delete") return <DeleteEndpointDialog {...props} />;
  return (
    <SecretDialog
      title="The secret of the endpoint"
      note="It is shown only now. Your endpoint checks with it that a message comes from here."
      lines={{ TALLYSTICK_WEBHOOK_SECRET: open.endpoint.secret ?? "" }}
      onClose={onClose}
    />
  );
}

function NoEndpoint() {
  return (
    <section aria-label="No endpoint yet" className={classes.none}>
      <h2>No endpoint is told of changes</h2>
      <p>Create one with an address of yours. It receives all of these messages, or those that you choose:</p>
      <dl>
        {TYPES.map((type) => (
          <div key={type}>
            <dt>{type}</dt>
            <dd>{MESSAGES[type]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
