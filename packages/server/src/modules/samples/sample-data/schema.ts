/** Sample data: the API's response. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { envelope, instant, nullable, oneOf, toApiInstant, toApiInstantOrNull } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";

const STATUSES = ["none", "making", "ready", "failed", "removing"] as const;

const sampleData = namedObject("SampleData", {
  status: oneOf(STATUSES, {
    description: "`making` and `removing` take about 20 seconds: read it again until it changes.",
  }),
  progress: Type.Integer({ description: "Percent", minimum: 0, maximum: 100 }),
  customers: Type.Integer({ description: "Sample customers that exist" }),
  invoices: Type.Integer({ description: "Their invoices, drafts included" }),
  svc_test_clock_id: nullable(Type.String({ description: "The test clock of the sample customers" })),
  error: nullable(Type.String({ description: "Why it failed" })),
  started_at: nullable(instant("When it was requested last")),
  finished_at: nullable(instant()),
});
export type ApiSampleData = Static<typeof sampleData>;

export type SampleDataRow = {
  status: ApiSampleData["status"];
  round: number;
  makings: number;
  progress: number;
  customers: number;
  invoices: number;
  test_clock_id: string | null;
  error: string | null;
  actor_kind: "key" | "person";
  actor_id: string;
  started_at: Temporal.Instant;
  finished_at: Temporal.Instant | null;
};

export const toApiSampleData = (row: SampleDataRow | undefined): { sample_data: ApiSampleData } => ({
  sample_data: row
    ? {
        status: row.status,
        progress: row.progress,
        customers: row.customers,
        invoices: row.invoices,
        svc_test_clock_id: row.test_clock_id,
        error: row.error,
        started_at: toApiInstant(row.started_at),
        finished_at: toApiInstantOrNull(row.finished_at),
      }
    : {
        ...{ status: "none", progress: 0, customers: 0, invoices: 0 },
        ...{ svc_test_clock_id: null, error: null, started_at: null, finished_at: null },
      },
});

const tags = ["Sample data"];
const response = { 200: envelope("sample_data", sampleData), ...ERROR_RESPONSES };

export const showSampleData = {
  summary: "Show whether the organization has sample data",
  description: "Also how far the making or removing of it is.",
  tags,
  response,
};

export const makeSampleData = {
  summary: "Fill a sandbox organization with sample data",
  description:
    "A company with 12 customers, 3 plans, 5 metrics and half a year of usage and invoices on a test clock. The amounts are the same each " +
    "time. A worker makes it in about 20 seconds, and `GET /sample_data` shows the progress. If it is there already, nothing changes.",
  tags,
  response,
};

export const removeSampleData = {
  summary: "Remove the sample data",
  description:
    "Deletes the sample customers with their test clock, and the sample catalog. Finalized invoices stay, because an invoice is never deleted. A " +
    "worker does it, and `GET /sample_data` shows when it is done.",
  tags,
  response,
};
