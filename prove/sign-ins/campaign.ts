/** 100,000 guesses of passwords: the limits hold over all processes, and the requests of others take about as long as before. */
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { percentile, sendAtRate } from "../neighbors/load.ts";
import { chooseSeed } from "../progress.ts";
import { createRandom } from "../random.ts";
import { withStops } from "../with-stops.ts";
import { type Attacked, attack, countExcess, signIn } from "./attack.ts";
import { openStage, RIGHT_PASSWORD, type Sizes, type Stage } from "./world.ts";

const PER_SECOND = 300;
const OF_EMAIL = 5;
const OF_NETWORK = 20;
const VICTIM_PER_SECOND = 20;
const ALONE_MS = 15_000;
const TIMES_MAX = 2;
const LONGER_MS_MAX = 50;

export const signIns: Campaign = {
  summary:
    "guesses against 1,000 accounts from 200 addresses: 5 a minute per account, 20 per address, and others are not slowed",
  counts: "attempts",
  countByDefault: 100_000,
  inWords: ({ attempts = 0, compared = 0, refused = 0, aloneMs = 0, duringMs = 0 }) =>
    `${attempts} guesses at 1,000 accounts from 200 addresses: ${compared} were compared with a password, ${refused} refused before. 99 of 100 requests of ` +
    `others took at most ${aloneMs} ms alone and ${duringMs} ms meanwhile.`,
  run: (options) => runSignIns({ ...options, sizes: { accounts: 1_000, addresses: 200 }, timesOthers: true }),
};

type Options = CampaignOptions & { sizes: Sizes; timesOthers: boolean };

/** The naive variant of the service has no limits. */
const limitsOf = ({ isNaive }: Options) =>
  isNaive ? NO_RATE_LIMITS : { SIGN_INS_OF_EMAIL: String(OF_EMAIL), SIGN_INS_OF_NETWORK: String(OF_NETWORK) };

export async function runSignIns(options: Options): Promise<Outcome> {
  const begun = performance.now();
  const seed = chooseSeed(options.seed);
  return withStops(async (onStop) => {
    const stage = await openStage(onStop, options.sizes, limitsOf(options));
    options.say("others alone");
    const aloneMs = options.timesOthers ? await timeOthers(stage, AbortSignal.timeout(ALONE_MS)) : 0;
    const over = new AbortController();
    const during = options.timesOthers ? timeOthers(stage, over.signal) : Promise.resolve(0);
    const random = createRandom(seed);
    const wanted = { attempts: options.count, perSecond: PER_SECOND, signal: options.signal };
    const found = await attack(stage, { ...wanted, random }).finally(() => over.abort());
    const duringMs = await during;
    const rightful = await signIn(stage, {
      email: "person-0@example.com",
      address: "198.51.100.1",
      password: RIGHT_PASSWORD,
    });
    options.say(`answers ${[...found.statuses].map(([status, times]) => `${status}: ${times}`).join(", ")}`);
    const figures = { attempts: options.count, ...summarize(found), aloneMs, duringMs, rightful: rightful.status };
    const seconds = Math.round((performance.now() - begun) / 1000);
    return { seed, seconds, broken: { ...faultsIn(found), tooSlow: isTooSlow(duringMs, aloneMs) }, figures };
  });
}

const summarize = ({ passed, statuses }: Attacked) => ({
  compared: passed.length,
  refused: statuses.get(429) ?? 0,
  busy: statuses.get(503) ?? 0,
});

const EXPECTED = [401, 429, 503];

const faultsIn = ({ passed, statuses }: Attacked) => ({
  overLimitOfEmail: countExcess(passed, "email", OF_EMAIL),
  overLimitOfNetwork: countExcess(passed, "address", OF_NETWORK),
  answeredOtherwise: [...statuses].reduce((sum, [status, times]) => sum + (EXPECTED.includes(status) ? 0 : times), 0),
});

const isTooSlow = (during: number, alone: number): number =>
  Number(during > Math.max(TIMES_MAX * alone, alone + LONGER_MS_MAX));

/** The time that 99 of 100 requests of a program take at most. */
async function timeOthers({ origin, key }: Stage, signal: AbortSignal): Promise<number> {
  const read = () => ({ method: "GET" as const, path: "/api/v1/taxes", key });
  const { ms, statuses } = await sendAtRate(origin, VICTIM_PER_SECOND, read, signal);
  if ([...statuses.keys()].some((status) => status !== 200)) throw new Error(`others got ${[...statuses].join(" ")}`);
  return Math.round(10 * percentile(ms, 0.99)) / 10;
}
