/** Who changed what, when, and from where. */
import { Button } from "@mantine/core";
import type { Activity, Member } from "@tallystick/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Problem } from "../../api/problem.tsx";
import { showSecond } from "../../format/instants.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FindField } from "../../ui/find-field.tsx";
import bar from "../../ui/list-bar.module.css";
import { PageTitle } from "../../ui/page-title.tsx";
import table from "../../ui/table.module.css";
import { membersQuery } from "../team/index.ts";
import classes from "./activity-page.module.css";
import { activitiesQuery } from "./queries.ts";
import { ACTORS } from "./search.ts";

const FROM = "/o/$organization/activity";

const NAMES = { person: "People", key: "API keys", command: "Commands", service: "Service" } as const;

export function ActivityPage() {
  const { organization } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const { data: members } = useQuery({ ...membersQuery(organization), retry: false });
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    activitiesQuery(organization, search),
  );
  const activities = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <PageTitle
        title="Activity"
        under="Every change through the API, the console and commands. Nothing here can be changed."
      />
      <div className={bar.bar}>
        <nav className={bar.views} aria-label="Views">
          {([undefined, ...ACTORS] as const).map((by) => (
            <Link
              key={by ?? "all"}
              to={FROM}
              params={{ organization }}
              search={{ ...search, by }}
              className={bar.view}
              aria-current={search.by === by ? "page" : undefined}
              activeOptions={{ exact: true }}
            >
              {by ? NAMES[by] : "All"}
            </Link>
          ))}
        </nav>
        <FindField
          label="Only of an object"
          placeholder="Id of what was changed"
          value={search.object}
          onFind={(object) =>
            void navigate({
              to: FROM,
              params: { organization },
              search: { ...search, object: object || undefined },
              replace: true,
            })
          }
        />
      </div>
      <Problem error={error} />
      {activities?.length === 0 && <EmptyState title="No activity fits">{null}</EmptyState>}
      {activities && activities.length > 0 && (
        <ol className={classes.list} aria-label="Activity">
          {activities.map((activity) => (
            <Entry key={activity.svc_id} activity={activity} members={members ?? []} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()} mt={12}>
          Older
        </Button>
      )}
    </>
  );
}

const ACTOR_WORDS = { key: "API key", command: "Command", service: "Service" } as const;

function nameOf({ kind, id }: Activity["actor"], members: readonly Member[]): string {
  if (kind !== "person") return `${ACTOR_WORDS[kind]} ${id}`;
  return members.find(({ svc_id }) => svc_id === id)?.name ?? `Person ${id}`;
}

/** "updatePlan" is "Update plan". */
function wordsOf(operation: string): string {
  const words = operation.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function Entry({ activity, members }: { activity: Activity; members: readonly Member[] }) {
  const { created_at, actor, address, operation, object, difference, is_erased } = activity;
  return (
    <li className={classes.entry}>
      <div className={classes.line}>
        <strong>{wordsOf(operation)}</strong>
        <span>{nameOf(actor, members)}</span>
        <time dateTime={created_at} className={table.weak}>
          {showSecond(created_at)}
        </time>
      </div>
      <div className={classes.where}>
        {object.type.replaceAll("_", " ")} {object.svc_id}
        {address && <span>from {address}</span>}
      </div>
      {is_erased && <p className={table.weak}>What it changed was erased.</p>}
      {difference && (
        <details>
          <summary>
            {Object.keys(difference).length === 1 ? "1 member" : `${Object.keys(difference).length} members`}
          </summary>
          <dl className={classes.difference}>
            {Object.entries(difference).map(([member, change]) => (
              <Change key={member} member={member} change={change} />
            ))}
          </dl>
        </details>
      )}
    </li>
  );
}

/** `change`: before and after. */
function Change({ member, change }: { member: string; change: unknown }) {
  const [before, after] = Array.isArray(change) ? change : [undefined, change];
  return (
    <div>
      <dt>{member}</dt>
      <dd>
        {before !== null && before !== undefined && <del>{textOf(before)}</del>} <ins>{textOf(after)}</ins>
      </dd>
    </div>
  );
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
