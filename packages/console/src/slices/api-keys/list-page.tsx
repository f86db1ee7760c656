/** Which programs may do what. */
import { Button } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import type { ApiKey, ApiKeyWithToken } from "@tallystick/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { now } from "../../api/clock.ts";
import { useRefusal } from "../../api/permissions.ts";
import { Problem } from "../../api/problem.tsx";
import { showInstantDay } from "../../format/instants.ts";
import { Action } from "../../ui/action.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FindField } from "../../ui/find-field.tsx";
import bar from "../../ui/list-bar.module.css";
import { PageTitle } from "../../ui/page-title.tsx";
import { Pages } from "../../ui/pages.tsx";
import { type State, Status } from "../../ui/status.tsx";
import table from "../../ui/table.module.css";
import classes from "./list-page.module.css";
import { keysQuery } from "./queries.ts";
import { PRESETS, type Preset, rightsInWords } from "./rights.ts";
import type { KeySearch } from "./search.ts";

const CreateKeyDialog = lazy(async () => ({ default: (await import("./create-key-dialog.tsx")).CreateKeyDialog }));
const RotateKeyDialog = lazy(async () => ({ default: (await import("./change-key-dialogs.tsx")).RotateKeyDialog }));
const RevokeKeyDialog = lazy(async () => ({ default: (await import("./change-key-dialogs.tsx")).RevokeKeyDialog }));
const SecretDialog = lazy(async () => ({ default: (await import("../../ui/secret-dialog.tsx")).SecretDialog }));

const FROM = "/o/$organization/api-keys";
/** Of the resources of a key; the question before it is revoked names all. */
const NAMED_AT_MOST = 5;

type Open = { create: Preset | undefined } | { rotate: ApiKey } | { revoke: ApiKey } | { made: ApiKeyWithToken };

export function ApiKeyListPage() {
  const { organization } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const go = (next: KeySearch, replace = false) =>
    void navigate({ to: FROM, params: { organization }, search: next, replace });
  const { data, error } = useQuery(keysQuery(organization, search));
  const [open, setOpen] = useState<Open>();
  const refusal = useRefusal(organization, "api_key");
  const create = (preset?: Preset) => setOpen({ create: preset });
  useHotkeys([["c", () => refusal === undefined && create()]]);
  return (
    <>
      <PageTitle
        title="API keys"
        under="A program signs in with a key. Give each program its own, with no more than it needs."
      >
        <Action refusal={refusal} onClick={() => create()}>
          New key
        </Action>
      </PageTitle>
      <Problem error={error} />
      {data && (data.items.length > 0 || search.q) && (
        <div className={bar.bar}>
          <FindField label="Find a key" placeholder="Name" value={search.q} onFind={(q) => go(q ? { q } : {}, true)} />
        </div>
      )}
      {data && data.items.length > 0 && <KeyTable keys={data.items} refusal={refusal} onOpen={setOpen} />}
      {data?.items.length === 0 && search.q && (
        <EmptyState title="No key fits">
          <Button variant="default" onClick={() => go({})}>
            Show all keys
          </Button>
        </EmptyState>
      )}
      {data?.items.length === 0 && !search.q && <FirstKey refusal={refusal} onCreate={create} />}
      {data && <Pages meta={data.meta} one="key" many="keys" onGo={(page) => go({ ...search, page })} />}
      <Suspense fallback={null}>
        {open && <Dialogs organization={organization} open={open} setOpen={setOpen} />}
      </Suspense>
    </>
  );
}

type DialogProps = { organization: string; open: Open; setOpen: (open: Open | undefined) => void };

function Dialogs({ organization, open, setOpen }: DialogProps) {
  const props = { organization, onClose: () => setOpen(undefined) };
  const onMade = (made: ApiKeyWithToken) => setOpen({ made });
  if ("create" in open) return <CreateKeyDialog {...props} preset={open.create} onMade={onMade} />;
  if ("rotate" in open) return <RotateKeyDialog {...props} apiKey={open.rotate} onMade={onMade} />;
  if ("revoke" in open) return <RevokeKeyDialog {...props} apiKey={open.revoke} />;
  return (
    <SecretDialog
      title={`The key “${open.made.name}”`}
      note="It is shown only now: the service keeps a hash of it. Paste it where the program reads its settings."
      lines={{ TALLYSTICK_URL: location.origin, TALLYSTICK_API_KEY: open.made.token }}
      onClose={props.onClose}
    />
  );
}

function FirstKey({ refusal, onCreate }: { refusal: string | undefined; onCreate: (preset: Preset) => void }) {
  return (
    <section aria-label="Kinds of keys">
      <h2 className={classes.title}>There is no key yet. Begin with what it may do.</h2>
      <ul className={classes.presets}>
        {PRESETS.map(({ preset, name, meaning }) => (
          <li key={preset}>
            <h3>{name}</h3>
            <p>{meaning}</p>
            <Action variant="default" refusal={refusal} onClick={() => onCreate(preset)}>
              Create
            </Action>
          </li>
        ))}
      </ul>
    </section>
  );
}

function stateOf({ revoked_at, expires_at }: ApiKey): State {
  if (revoked_at) return "revoked";
  return expires_at && Temporal.Instant.compare(expires_at, now()) <= 0 ? "expired" : "active";
}

function lifeOf({ revoked_at, expires_at }: ApiKey): string {
  if (revoked_at) return `on ${showInstantDay(revoked_at)}`;
  return expires_at ? `until ${showInstantDay(expires_at)}` : "no end";
}

type TableProps = { keys: readonly ApiKey[]; refusal: string | undefined; onOpen: (open: Open) => void };

function KeyTable({ keys, refusal, onOpen }: TableProps) {
  return (
    <table className={`${table.table} ${classes.table}`}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">May do</th>
          <th scope="col">Status</th>
          <th scope="col">Last used</th>
          <th scope="col">Created</th>
          <th scope="col" className={table.amount}>
            Change
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.key_id}>
            <td className={classes.name}>
              {key.name}
              <span className={classes.small}>tsk_{key.key_id}…</span>
            </td>
            <td className={classes.rights}>{rightsInWords(key.permissions, NAMED_AT_MOST)}</td>
            <td className={classes.state}>
              <Status state={stateOf(key)} />
              <span className={classes.small}>{lifeOf(key)}</span>
            </td>
            <td className={classes.day}>{key.last_used_at ? showInstantDay(key.last_used_at) : "Never"}</td>
            <td className={classes.created}>{showInstantDay(key.created_at)}</td>
            <td className={classes.change}>
              {stateOf(key) === "active" && (
                <span>
                  <Action
                    variant="subtle"
                    refusal={refusal}
                    aria-label={`Rotate ${key.name}`}
                    onClick={() => onOpen({ rotate: key })}
                  >
                    Rotate
                  </Action>
                  <Action
                    variant="subtle"
                    refusal={refusal}
                    aria-label={`Revoke ${key.name}`}
                    onClick={() => onOpen({ revoke: key })}
                  >
                    Revoke
                  </Action>
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
