/** Counts the queries of requests, on their way to the database. */
import type { FastifyInstance } from "fastify";
import type { KyselyPlugin } from "kysely";
import { composeApi, type Platform } from "../main/compose.ts";

export type CountedApi = {
  app: FastifyInstance;
  /** The queries since the last call, without begin and commit. */
  takeCount: () => number;
  /** An answer below /api/v1, with its number of queries. */
  get: (path: string, key: string) => Promise<{ body: Record<string, unknown>; queries: number }>;
};

export async function composeCountedApi(platform: Platform): Promise<CountedApi> {
  let count = 0;
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      count++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const app = await composeApi({ ...platform, db: platform.db.withPlugin(counter) });
  const takeCount = () => {
    const taken = count;
    count = 0;
    return taken;
  };
  const get: CountedApi["get"] = async (path, key) => {
    takeCount();
    const answer = await app.inject({ url: `/api/v1${path}`, headers: { authorization: `Bearer ${key}` } });
    return { body: answer.json(), queries: takeCount() };
  };
  return { app, takeCount, get };
}
