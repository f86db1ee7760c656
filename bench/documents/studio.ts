/** A service on fresh data that creates documents through the API and reads them. */

import { composeApi, composePlatform, type Platform } from "../../packages/server/src/main/compose.ts";
import { composeJobs } from "../../packages/server/src/main/compose-work.ts";
import { givenDatabaseUrl, readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { createTemporaryDatabase } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { type Answer, type Call, callOf } from "../../packages/server/src/testing/call-api.ts";
import { drain } from "../../packages/server/src/testing/drain.ts";

export type Must = (...request: Parameters<Call>) => Promise<Answer["body"]>;

export type Studio = {
  platform: Platform;
  organizationId: string;
  /** Below /api/v1; any error ends the run. */
  must: Must;
  drain: () => Promise<void>;
  /** The PDF of an invoice or a credit note, by its path. */
  fetchPdf: (path: string) => Promise<Buffer>;
};

/** The job runs right away, so that an error in it is not left for a retry. */
export const MAKE_JOB = "make_document";
export function subjectOf(path: string): { invoiceId: string } | { creditNoteId: string } {
  const [, kind, id = ""] = path.split("/");
  return kind === "invoices" ? { invoiceId: id } : { creditNoteId: id };
}

export async function inStudio<Result>(work: (studio: Studio) => Promise<Result>): Promise<Result> {
  const database = await createTemporaryDatabase(givenDatabaseUrl());
  try {
    const settings = { LOG_LEVEL: "silent", OUTBOUND_TRUSTED_HOSTS: "127.0.0.1", ...NO_RATE_LIMITS };
    const platform = composePlatform(readConfig({ DATABASE_URL: database.url, ...settings }));
    const app = await composeApi(platform);
    try {
      const { id, key } = await makeOrganization(platform, { name: "Studio", isSandbox: true, keyName: "studio" });
      const call = callOf(app, key);
      const must: Must = async (...request) => {
        const { status, body, text } = await call(...request);
        if (status !== 200) throw new Error(`${request[0]} ${request[1]} is refused: ${text}`);
        return body;
      };
      const drainAll = () => drain(platform);
      const fetchPdf = async (path: string): Promise<Buffer> => {
        await composeJobs(platform).jobs[MAKE_JOB]?.(id, {
          subject: subjectOf(path),
          baseUrl: "http://studio.example",
        });
        const { invoice, credit_note } = await must("POST", `${path}/download`);
        const url = new URL((invoice ?? credit_note).file_url);
        return (await app.inject({ url: `${url.pathname}${url.search}` })).rawPayload;
      };
      return await work({ platform, organizationId: id, must, drain: drainAll, fetchPdf });
    } finally {
      await app.close();
      await platform.close();
    }
  } finally {
    await database.remove();
  }
}
