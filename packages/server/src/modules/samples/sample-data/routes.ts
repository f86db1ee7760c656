/** /sample_data: the data of a small company for a sandbox organization. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import { enqueueJob } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { findOrganization } from "../../accounts/index.ts";
import { sampleDataErrors } from "./errors.ts";
import { SAMPLE_DATA_JOB } from "./sample-data-job.ts";
import { makeSampleData, removeSampleData, type SampleDataRow, showSampleData, toApiSampleData } from "./schema.ts";
import { findSampleData, lockSampleData, requestSampleData } from "./store.ts";

type Change = {
  to: "making" | "removing";
  /** Nothing is to be done from this status. */
  isDone: (row: SampleDataRow | undefined) => boolean;
};

export const sampleDataRoutes =
  ({ clock }: { clock: Clock }): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "organization" };

    const change = (request: FastifyRequest, { to, isDone }: Change) =>
      request.write(async (tx, organizationId) => {
        const organization = await findOrganization(alone(tx), organizationId);
        if (!organization.is_sandbox) throw sampleDataErrors.problem("sample_data_needs_a_sandbox");
        const row = await lockSampleData(tx, organizationId);
        if (isDone(row) || row?.status === to) return toApiSampleData(row);
        const { actor } = request.caller;
        const requested = await requestSampleData(tx, organizationId, { status: to, actor, now: clock.now() });
        const name = `${SAMPLE_DATA_JOB}:${organizationId}`;
        await enqueueJob(tx, SAMPLE_DATA_JOB, {}, { jobKey: name, queue: name });
        return toApiSampleData(requested);
      });

    app.get("/sample_data", { schema: showSampleData, config }, (request) =>
      request.read(async (tx, organizationId) => toApiSampleData(await findSampleData(tx, organizationId))),
    );

    app.post("/sample_data", { schema: makeSampleData, config }, (request) =>
      change(request, { to: "making", isDone: (row) => row?.status === "ready" }),
    );

    app.delete("/sample_data", { schema: removeSampleData, config }, (request) =>
      change(request, { to: "removing", isDone: (row) => (row?.status ?? "none") === "none" }),
    );
  };
