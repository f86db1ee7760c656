/** The plain model of subscriptions beside the service: what each request is answered with, and what is there after every step. */
import type pg from "pg";
import type { Members, Method } from "../served-api.ts";
import { Broken, demand } from "./demand.ts";
import { expectedOf, type Seen, seeLife } from "./model/expected.ts";
import { readStored, seeShown } from "./model/observe.ts";
import type { Answer } from "./model/requests.ts";
import type { World as Model } from "./model/world.ts";
import type { World } from "./world.ts";

type Request = { method: Method; path: string; body?: unknown };

/** Asked of the model first: what it says must be the answer. */
export async function askAsPredicted(
  world: World,
  { method, path, body }: Request,
  predict: (model: Model) => Answer,
): Promise<Members | undefined> {
  const expected = predict(world.model);
  const { status, body: answer } = await world.session.request(method, path, body);
  if (status >= 500) throw new Broken("serverErrors", `${method} ${path}: ${JSON.stringify(answer)}`);
  const given = { status, body: answer };
  const difference = answerDiffers(world.model, expected, given);
  demand("answerDiffers", difference.length === 0, () => difference);
  tellApart(world, (model) => answerDiffers(model, predict(model), given).length > 0);
  return status === 200 ? answer : undefined;
}

/** Every model receives what no answer depends on. */
export function tellModels(world: World, happen: (model: Model) => void): void {
  happen(world.model);
  tellApart(world, (model) => {
    happen(model);
    return false;
  });
}

/** Models that misread a rule go along until they are found out. One that cannot go on is, too. */
function tellApart({ misread, session }: World, isFound: (model: Model) => boolean): void {
  const { watch } = session.stage;
  for (const [name, model] of misread) {
    if (!fails(() => isFound(model))) continue;
    misread.delete(name);
    if (watch?.misreadings.delete(name)) watch.onFound(name);
  }
}

function fails(isFound: () => boolean): boolean {
  try {
    return isFound();
  } catch {
    return true;
  }
}

function answerDiffers(model: Model, expected: Answer, { status, body }: { status: number; body: Members }): string[] {
  const found = `Answered ${status} ${JSON.stringify(body).slice(0, 600)}`;
  if (status !== expected.status) return [`Expected ${JSON.stringify({ ...expected, shows: undefined })}`, found];
  if (expected.status === 404) return body.code === expected.code ? [] : [`Expected ${expected.code}`, found];
  if (expected.status === 422) {
    const details = JSON.stringify({ [expected.field]: [expected.code] });
    return JSON.stringify(body.error_details) === details ? [] : [`Expected ${details}`, found];
  }
  if (!expected.shows) return [];
  const { shown } = seeLife(model, expected.shows);
  return linesDiffer("answer", membersOf(shown), membersOf(seeShown((body.subscription ?? {}) as Members, shown)));
}

/** Everything that can be seen of the subscriptions is as the model has it: what the API shows, periods, bills, what is due, messages. */
export async function checkModel(world: World): Promise<void> {
  const found = await compareRows(world, world.session.stage.pool);
  tellApart(world, (model) => statesDiffer(expectedOf(model), found).length > 0);
}

/** What was found, if it is right. */
export async function compareRows(world: World, database: Pick<pg.Pool, "query">): Promise<readonly Seen[]> {
  const expected = expectedOf(world.model);
  const { seen, failures, outOfOrder } = await readStored(database, world.session.organizationId);
  if (failures.length > 0) throw new Broken("serverErrors", failures.join("\n"));
  demand("dueOutOfOrder", outOfOrder.length === 0, () => outOfOrder);
  const shown = new Map(world.shown.subscriptions.map((each) => [each.svc_id, each as Members]));
  const found = [...seen].map(([id, stored]) => ({
    ...stored,
    shown: seeShown(shown.get(id) ?? {}, expected[0]?.shown ?? {}),
  }));
  const difference = statesDiffer(expected, found);
  demand("subscriptionsDiffer", difference.length === 0, () => difference);
  return found;
}

function statesDiffer(expected: readonly Seen[], seen: readonly Seen[]): string[] {
  if (expected.length !== seen.length) return [`Expected ${expected.length} subscriptions, found ${seen.length}`];
  return expected.flatMap(({ shown, ...lists }, index) => {
    const found = seen[index];
    if (!found) return [];
    const name = `subscription ${index} (${shown.external_id} ${shown.plan_code})`;
    return [
      ...linesDiffer(`${name} shown`, membersOf(shown), membersOf(found.shown)),
      ...linesDiffer(`${name} bills`, withoutTakeover(lists.bills), withoutTakeover(found.bills)),
      ...(["facts", "periods", "dues", "messages"] as const).flatMap((list) =>
        linesDiffer(`${name} ${list}`, lists[list], found[list]),
      ),
    ];
  });
}

/** What a plan in advance has to bill at once when it takes over depends on the charges of both: that is looked at where seats are counted. */
const withoutTakeover = (bills: readonly string[]): string[] =>
  bills
    .map((bill) => (bill.startsWith("starting") ? bill.replace(/renewal [^;]*/, "renewal of its own") : bill))
    .filter((bill) => !bill.includes("fee none; charges none; renewal of its own; commitment none"));

const membersOf = (members: Seen["shown"]): string[] =>
  Object.entries(members).map(([name, value]) => `${name} ${value}`);

/** What only one side has; nothing if the lists are equal. */
function linesDiffer(name: string, expected: readonly string[], found: readonly string[]): string[] {
  if (expected.join("\n") === found.join("\n")) return [];
  return [
    `${name}: ${expected.length} lines expected, ${found.length} found`,
    ...expected.filter((line) => !found.includes(line)).map((line) => `  expected ${line}`),
    ...found.filter((line) => !expected.includes(line)).map((line) => `  found    ${line}`),
  ];
}
