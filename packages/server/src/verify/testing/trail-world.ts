/** A trail of three sealed activities, a waiting one and an erased one, and a recorded change of a state. */
import { A, B, id, METRIC, NOW, PATIENT, S, SPENDER } from "./names.ts";
import type { Plant } from "./statements.ts";

const [FIRST, ERASED, ERASING, WAITING] = [id(701), id(702), id(703), id(704)];
const DIFFERENCE = '{"name":["personal","other"]}';

const DIGEST = `sha256(convert_to(json_build_array(
  a.organization_id, a.id, (extract(epoch from a.created_at) * 1000000)::bigint, a.actor_kind, a.actor_id, a.address, a.operation,
  a.object_type, a.object_id, a.request_id, encode(a.difference_digest, 'hex'))::text, 'UTF8'))`;

const activity = (activityId: string, operation: string, difference: string | null): string => {
  const text = difference === null ? "null" : `'${difference}'`;
  const [salt, digest] =
    difference === null
      ? ["null", "null"]
      : [`decode(repeat('ab', 16), 'hex')`, `sha256(decode(repeat('ab', 16), 'hex') || ${text})`];
  return `insert into activities (organization_id, id, created_at, actor_kind, actor_id, address, operation, object_type, object_id,
      request_id, difference, salt, difference_digest)
    values ('${A}', '${activityId}', '${NOW}', 'key', 'personal', 'personal', '${operation}', 'customer', '${SPENDER}', 'personal',
      ${text}, ${salt}, ${digest});
    insert into activity_seals (organization_id, activity_id, recorded_at, row_digest)
    select a.organization_id, a.id, a.created_at, ${DIGEST} from activities a where a.id = '${activityId}';`;
};

const seal = (activityId: string): string => `
  update activity_seals set sequence = h.sequence + 1, chain = sha256(h.chain || row_digest)
    from activity_heads h where h.organization_id = '${A}' and activity_id = '${activityId}';
  update activity_heads h set sequence = s.sequence, chain = s.chain
    from activity_seals s where h.organization_id = '${A}' and s.activity_id = '${activityId}';`;

/** A null `after` stands for the plan that the subscription is on. */
const changeOfPlan = (before: string, after: string | null): string => `
  insert into state_changes (organization_id, kind, subject_id, customer_id, at, before, after)
    select organization_id, 'subscription_plan', id, '${PATIENT}', '${NOW}', '${before}', ${after ? `'${after}'` : "plan_id"}
    from subscriptions where id = '${S.plain}';`;

/** Some definitions of the world are stored without triggers. */
const versions = `
  insert into definition_versions (organization_id, kind, definition_id, version, body, created_at)
    select organization_id, kind, id, 1,
      definition_body(kind, organization_id, id) - array['organization_id', 'id', 'created_at', 'updated_at'], '${NOW}'
    from (
      select organization_id, 'tax' as kind, id from taxes union all select organization_id, 'coupon', id from coupons
    ) as definition
    on conflict do nothing;`;

export const trailWorld = `
  ${versions}
  ${activity(FIRST, "upsertCustomer", DIFFERENCE)} ${activity(ERASED, "upsertCustomer", DIFFERENCE)}
  ${activity(ERASING, "eraseActivities", `{"activities":[["${ERASED}"],null]}`)} ${activity(WAITING, "upsertCustomer", DIFFERENCE)}
  ${[FIRST, ERASED, ERASING].map(seal).join("")}
  update activities set difference = null, salt = null, erased_by = '${ERASING}' where id = '${ERASED}';
  ${changeOfPlan(id(990), id(991))} ${changeOfPlan(id(991), null)}`;

const ofActivity = (activityId: string): string => `organization_id = '${A}' and activity_id = '${activityId}'`;

export const trailPlants: Readonly<Record<string, readonly Plant[]>> = {
  "activities-are-as-recorded": [
    ["an activity is gone", `delete from activities where id = '${WAITING}'`],
    ["an activity has no seal", `delete from activity_seals where ${ofActivity(WAITING)}`],
    ["an activity names someone else", `update activities set actor_id = 'other' where id = '${FIRST}'`],
    ["an activity happened at another time", `update activities set created_at = '2024-01-01' where id = '${FIRST}'`],
    [
      "a difference says something else",
      `update activities set difference = '{"name":["a","b"]}' where id = '${FIRST}'`,
    ],
    [
      "a difference was erased, and no activity says so",
      `update activities set difference = null, salt = null, erased_by = '${ERASING}' where id = '${FIRST}'`,
    ],
  ],
  "activities-are-chained": [
    [
      "an activity in the middle is gone with its seal",
      `delete from activity_seals where ${ofActivity(FIRST)}; delete from activities where id = '${FIRST}'`,
    ],
    [
      "the newest sealed activity is gone with its seal",
      `insert into activities select organization_id, '${id(705)}', created_at, actor_kind, actor_id, address, operation, object_type,
         object_id, request_id, difference, salt, difference_digest from activities where id = '${ERASING}';
       update activity_seals s set activity_id = '${id(705)}', sequence = null, chain = null, row_digest = ${DIGEST}
         from activities a where a.id = '${id(705)}' and s.activity_id = '${ERASING}';
       update activities set erased_by = '${id(705)}' where id = '${ERASED}'; delete from activities where id = '${ERASING}'`,
    ],
    ["a link was changed", `update activity_seals set chain = sha256(chain) where ${ofActivity(ERASED)}`],
    ["an organization has no chain", `delete from activity_heads where organization_id = '${B}'`],
    [
      "a chain is of another organization",
      `update activity_heads b set chain = a.chain, pruned_chain = a.chain
         from activity_heads a where a.organization_id = '${A}' and b.organization_id = '${B}'`,
    ],
  ],
  "activities-do-not-wait": [
    [
      "an activity is not sealed after ten minutes",
      `update activities set created_at = created_at - interval '11 minutes' where id = '${WAITING}';
       update activity_seals s set recorded_at = a.created_at, row_digest = ${DIGEST}
         from activities a where a.id = '${WAITING}' and s.activity_id = a.id`,
    ],
  ],
  "definitions-are-recorded": [
    ["a definition was changed", `update billable_metrics set description = 'other' where id = '${METRIC}'`],
    ["a definition has no version", `delete from definition_versions where definition_id = '${METRIC}'`],
    [
      "a version is missing",
      `insert into definition_versions select organization_id, kind, definition_id, 3, body, created_at
         from definition_versions where definition_id = '${METRIC}'`,
    ],
  ],
  "states-are-recorded": [
    ["a state does not follow from its last change", `delete from state_changes where before = '${id(991)}'`],
    [
      "a change between two others is gone",
      `update state_changes set before = '${id(992)}' where before = '${id(991)}'`,
    ],
  ],
};
