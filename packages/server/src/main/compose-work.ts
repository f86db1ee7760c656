/** The work beside requests: due instants, messages, jobs, and the drawing of documents. */
import { forgetOldAnswers } from "../http/transactions.ts";
import { startQueue } from "../jobs/queue.ts";
import { type Loop, startWorker } from "../jobs/worker.ts";
import { forgetOldSignIns, logHeads, pruneActivities, signHeadsAgain } from "../modules/accounts/index.ts";
import { customerJobs, resumeAdvance, testClockJobs } from "../modules/customers/index.ts";
import { documentJobs, logoJobs } from "../modules/documents/index.ts";
import { askForEventChecks, eventCheckJobs, makeEventPartitions } from "../modules/events/index.ts";
import { draftJobs, loadEventFaults, pauseJobs } from "../modules/invoicing/index.ts";
import { sampleDataJobs } from "../modules/samples/index.ts";
import { subscriptionJobs } from "../modules/subscriptions/index.ts";
import { forgetOldWebhooks, replayJobs } from "../modules/webhooks/index.ts";
import { composeCustomers, type Platform } from "./compose.ts";
import { openCallsOf } from "./inside-calls.ts";
import { receivableOpening } from "./open-receivables.ts";
import { sealingJob } from "./sealing.ts";

export function composeJobs(platform: Platform) {
  const { additions, config, db, dispatcherDb, clock, metrics } = platform;
  return {
    jobs: {
      ...customerJobs(db, composeCustomers(platform)),
      ...subscriptionJobs(platform),
      ...testClockJobs(platform),
      ...draftJobs(platform),
      ...pauseJobs(platform),
      ...eventCheckJobs({ db, clock, loadFaults: loadEventFaults }),
      ...documentJobs(platform),
      ...logoJobs(platform),
      ...replayJobs(platform),
      ...sampleDataJobs({ ...platform, openCalls: openCallsOf(platform) }),
      ...additions.jobs,
    },
    scheduled: [
      { name: "forget_old_answers", cron: "17 * * * *", run: () => forgetOldAnswers(dispatcherDb, clock) },
      { name: "ask_for_event_checks", cron: "5 * * * *", run: () => askForEventChecks(platform) },
      {
        name: "forget_old_webhooks",
        cron: "0 1 * * *",
        run: () => forgetOldWebhooks({ ...platform, retentionDays: config.WEBHOOK_RETENTION_DAYS }),
      },
      { name: "open_receivables", cron: "* * * * *", run: receivableOpening(platform) },
      { name: "seal_secrets", cron: "* * * * *", run: sealingJob(platform) },
      { name: "forget_old_sign_ins", cron: "41 * * * *", run: () => forgetOldSignIns(dispatcherDb, clock) },
      { name: "log_activity_heads", cron: "0 * * * *", run: () => logHeads(platform) },
      { name: "sign_activity_heads", cron: "*/10 * * * *", run: async () => void (await signHeadsAgain(platform)) },
      { name: "prune_activities", cron: "23 2 * * *", run: pruning(platform) },
      { name: "make_event_partitions", cron: "37 3 * * *", run: () => makeEventPartitions(dispatcherDb) },
    ],
    metrics,
  };
}

/** Off by default. */
const pruning = (platform: Platform) => async () => {
  const { ACTIVITY_RETENTION_DAYS: days } = platform.config;
  const now = platform.clock.now();
  if (days > 0) await pruneActivities(platform, now.subtract({ hours: 24 * days }), now);
};

/** Each waits for its drawing most of the time, so that a few organizations with large documents do not hold up the others. */
const DOCUMENTS_AT_ONCE = 8;

export async function composeWorker(platform: Platform): Promise<Loop> {
  const { config, senders } = platform;
  const concurrency = config.WORKER_CONCURRENCY;
  const { jobs, ...rest } = composeJobs(platform);
  const documents = documentJobs(platform);
  const others = Object.fromEntries(Object.entries(jobs).filter(([name]) => !(name in documents)));
  const queues = await Promise.all([
    startQueue({ ...platform, ...rest, jobs: others, concurrency }),
    startQueue({ ...platform, ...rest, scheduled: [], jobs: documents, concurrency: DOCUMENTS_AT_ONCE }),
  ]);
  const worker = await startWorker({
    ...platform,
    steps: { test_clocks: () => resumeAdvance(platform), ...platform.consumers, ...senders },
    loopsPerSource: concurrency,
    loopsOf: {
      webhooks: config.WEBHOOK_CONCURRENCY,
      failing_webhooks: Math.ceil(config.WEBHOOK_CONCURRENCY / 4),
    },
  });
  return {
    stop: async () => {
      await Promise.all([...queues, worker].map((part) => part.stop()));
    },
  };
}
