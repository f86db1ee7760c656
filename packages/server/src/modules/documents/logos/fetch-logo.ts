/** Fetches the image at an organization's `logo_url` outside of any transaction, re-encodes it, and stores it. */
import { enqueueJob, type JobHandler } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import { PictureRefused, reencodeImage } from "../../../platform/images/reencode-image.ts";
import { OutboundFailure, type OutboundHttp } from "../../../platform/outbound-http/outbound-http.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { findOrganization, setLogo } from "../../accounts/index.ts";
import { insertLogo, type Logo } from "./store.ts";

export type LogoDeps = { db: Database; clock: Clock; outbound: OutboundHttp };

const FETCH_JOB = "fetch_logo";
const BYTES_MAX = 2 ** 20;
/** About an hour, with growing delays. */
const ATTEMPTS_MAX = 8;
/** Errors that may be gone on the next attempt. */
const PASSING = ["timed_out", "connection_refused", "connection_reset", "connection_failed", "name_is_unknown"];

export const askForLogo = (tx: Tx, organizationId: string): Promise<void> =>
  enqueueJob(tx, FETCH_JOB, {}, { jobKey: `logo ${organizationId}`, attemptsMax: ATTEMPTS_MAX });

export const logoJobs = (deps: LogoDeps): Readonly<Record<string, JobHandler>> => ({
  [FETCH_JOB]: (organizationId) => fetchLogo(deps, organizationId),
});

type Missed = { reason: string; isPassing: boolean };

async function fetchLogo({ db, clock, outbound }: LogoDeps, organizationId: string): Promise<void> {
  const { logo_url: url } = await inOrganization(db, organizationId, (tx) =>
    findOrganization(alone(tx), organizationId),
  );
  if (url === null) return;
  const found = await fetchPicture(outbound, url);
  await inOrganization(db, organizationId, async (tx) => {
    if ("reason" in found) return setLogo(tx, organizationId, url, { logo_error: found.reason });
    const digest = await insertLogo(tx, organizationId, found, clock.now());
    await setLogo(tx, organizationId, url, { logo_digest: digest, logo_error: null });
  });
  // The queue retries.
  if ("isPassing" in found && found.isPassing) throw new Error(`a logo could not be fetched: ${found.reason}`);
}

async function fetchPicture(outbound: OutboundHttp, url: string): Promise<Logo | Missed> {
  try {
    const { status, body } = await outbound.get(url, { accept: "image/png, image/jpeg" }, BYTES_MAX);
    if (status !== 200) return { reason: `answered_${status}`, isPassing: status >= 500 || status === 429 };
    const { png, width, height } = await reencodeImage(body);
    return { image: Buffer.from(png), width, height };
  } catch (error) {
    if (error instanceof PictureRefused) return { reason: error.reason, isPassing: false };
    if (error instanceof OutboundFailure) return { reason: error.reason, isPassing: PASSING.includes(error.reason) };
    throw error;
  }
}
