/** Random plans through HTTP: valid ones come back equal, a wrong member is named, a refusal changes nothing, and nothing breaks. */
import fc from "fast-check";
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { NO_RATE_LIMITS, readConfig } from "../../packages/server/src/main/config.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { type Answer, type Members, patient, type Send, senderOf } from "../served-api.ts";
import { makeCatalog, planSchemaIn } from "./catalogue.ts";
import { type Catalog, mayBeUnknown, validPlan, type WrongPlan, wildPlan, wrongPlan } from "./plan-cases.ts";
import { differenceOf } from "./same-plan.ts";

type Counts = Record<string, number>;
type Stage = { call: Send; catalog: Catalog; broken: Counts; figures: Counts; say: (line: string) => void };

type State = { done: number; broken: Counts; figures: Counts };
type Progress = ProgressKeeper<State>;
type Portion = Omit<CampaignOptions, "seed"> & { seed: number };

/** Of one lane, between two notes of progress. */
const PORTION = 100;

const NOTHING_BROKEN: Counts = {
  serverErrors: 0,
  validRefused: 0,
  shownOtherwise: 0,
  wrongAccepted: 0,
  fieldNotNamed: 0,
  changedByRefusal: 0,
};
const NOTHING_DONE: Counts = { valid: 0, wrong: 0, wild: 0, accepted: 0, refused: 0 };

export const randomPlans: Campaign = {
  summary: "random plans through HTTP: valid ones come back equal, wrong ones name the member, nothing breaks",
  counts: "plans",
  countByDefault: 20_000,
  run: runRandomPlans,
};

export async function runRandomPlans(options: CampaignOptions): Promise<Outcome> {
  const progress = await openProgress(options, {
    done: 0,
    broken: { ...NOTHING_BROKEN },
    figures: { ...NOTHING_DONE },
  });
  const { state } = progress;
  // Every run makes its own cluster: a run that goes on needs the count of plans, not the plans. Nothing is killed here.
  const cluster = await startEmbeddedPostgres({ settings: ["fsync=off", "synchronous_commit=off"] });
  try {
    await migrate(cluster.url);
    const platform = composePlatform(readConfig({ DATABASE_URL: cluster.url, LOG_LEVEL: "silent", ...NO_RATE_LIMITS }));
    const app = await composeApi(platform);
    try {
      const description = (await app.inject({ url: "/openapi.json" })).json();
      const openLane = async (name: string): Promise<Stage> => {
        const { key } = await makeOrganization(platform, { name, isSandbox: true, keyName: "campaign" });
        const call = patient(senderOf(app, key));
        const catalog = await makeCatalog(call, planSchemaIn(description));
        return { call, catalog, broken: state.broken, figures: state.figures, say: options.say };
      };
      const lanes = await Promise.all(["first", "second", "third", "fourth"].map(openLane));
      options.say(`seed ${state.seed}, ${state.done} plans done before`);
      await tryPlans(lanes, progress, options);
      return { seed: state.seed, seconds: state.seconds, broken: state.broken, figures: state.figures };
    } finally {
      await app.close();
      await platform.close();
    }
  } finally {
    await cluster.stop();
  }
}

/** In portions with a seed of their own, so that a run that goes on makes the plans it would have made. */
async function tryPlans(lanes: readonly Stage[], { state, keep }: Progress, options: CampaignOptions): Promise<void> {
  while (state.done < options.count) {
    const count = Math.min(PORTION, Math.ceil((options.count - state.done) / lanes.length));
    await Promise.all(
      lanes.map((stage, lane) => tryPortion(stage, state.done + lane * count, { ...options, count, seed: state.seed })),
    );
    state.done += count * lanes.length;
    await keep();
    options.say(`${state.done} of ${options.count} plans`);
  }
}

/** Each lane has an organization of its own, so that it can see whether a refusal changed something. */
async function tryPortion(stage: Stage, from: number, { count, seed, signal, isNaive }: Portion): Promise<void> {
  const parameters = { numRuns: Math.ceil(count / 3), seed: seed + from };
  const valid = fc.sample(validPlan(stage.catalog), parameters);
  const wrong = fc.sample(wrongPlan(stage.catalog), parameters);
  const wild = fc.sample(wildPlan(stage.catalog), parameters);
  for (let index = 0; index < count; index++) {
    signal.throwIfAborted();
    const code = `plan ${from + index}`;
    const turn = Math.floor(index / 3);
    if (index % 3 === 0) await tryValid(stage, { ...valid[turn], code }, isNaive);
    else if (index % 3 === 1) await tryWrong(stage, wrong[turn] as WrongPlan, code);
    else await tryWild(stage, wild[turn]);
  }
}

/** Made, shown, changed into itself and shown again: always the same. */
async function tryValid(stage: Stage, plan: Members, isNaive: boolean): Promise<void> {
  stage.figures.valid = (stage.figures.valid ?? 0) + 1;
  const made = await send(stage, "POST", "/plans", plan);
  if (made.status !== 200) return note(stage, "validRefused", plan, made);
  const path = `/plans/${encodeURIComponent(String(plan.code))}`;
  const { body } = await stage.call("GET", path);
  const shown = body.plan as Members;
  const difference = differenceOf(isNaive ? { ...plan, amount_cents: Number(plan.amount_cents) + 1 } : plan, shown);
  if (difference) return note(stage, "shownOtherwise", difference, made);
  const charges = (shown.charges as { svc_id: string }[]).map(({ svc_id: id }, index) => ({
    ...(plan.charges as Members[])[index],
    id,
  }));
  const again = await send(stage, "PUT", path, { ...plan, ...(plan.charges ? { charges } : {}) });
  if (JSON.stringify(again.body.plan) !== JSON.stringify(shown)) note(stage, "shownOtherwise", plan, again);
}

async function tryWrong(stage: Stage, { plan, path, field }: WrongPlan, code: string): Promise<void> {
  stage.figures.wrong = (stage.figures.wrong ?? 0) + 1;
  const before = await countPlans(stage);
  const sent = path[0] === "code" ? plan : { ...plan, code };
  const answer = await send(stage, "POST", "/plans", sent);
  if (answer.status === 200) return note(stage, "wrongAccepted", { path, plan: sent }, answer);
  const details = (answer.body.error_details ?? {}) as Members;
  const isNamed = field in details || (answer.status === 404 && mayBeUnknown(path));
  if (!isNamed) note(stage, "fieldNotNamed", { path, field }, answer);
  if ((await countPlans(stage)) !== before) note(stage, "changedByRefusal", sent, answer);
}

async function tryWild(stage: Stage, plan: unknown): Promise<void> {
  stage.figures.wild = (stage.figures.wild ?? 0) + 1;
  const before = await countPlans(stage);
  const answer = await send(stage, "POST", "/plans", plan);
  if (answer.status !== 200 && (await countPlans(stage)) !== before) note(stage, "changedByRefusal", plan, answer);
}

async function send(stage: Stage, method: "POST" | "PUT", path: string, plan: unknown): Promise<Answer> {
  const answer = await stage.call(method, path, { plan });
  if (answer.status >= 500) note(stage, "serverErrors", plan, answer);
  const kind = answer.status === 200 ? "accepted" : "refused";
  stage.figures[kind] = (stage.figures[kind] ?? 0) + 1;
  return answer;
}

async function countPlans({ call }: Stage): Promise<unknown> {
  const { body } = await call("GET", "/plans?per_page=1");
  return (body.meta as Members).total_count;
}

function note({ broken, say }: Stage, what: string, about: unknown, { status, body }: Answer): void {
  broken[what] = (broken[what] ?? 0) + 1;
  say(`${what}: ${JSON.stringify(about).slice(0, 2000)} answered ${status} ${JSON.stringify(body).slice(0, 500)}`);
}
