/**
 * An answer with one record has an ETag. A change that sends it back in If-Match is refused if the record is another one by then, so that
 * nobody overwrites what they have not read.
 */
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { keepsDifference } from "./activities.ts";
import { prefixOf, renameMembers } from "./field-prefix.ts";
import { defineErrors } from "./problem.ts";

export const etagErrors = defineErrors({
  changed_meanwhile: {
    status: 412,
    meaning:
      "The record was changed after you read it, or does not exist. Read it again, and send the change with its new ETag.",
  },
});

/** `describe` gives the record in its envelope, read under its lock; undefined if there is none. It is called only if it is needed. */
export type Precondition = (describe: () => Promise<object | undefined>) => Promise<void>;

declare module "fastify" {
  interface FastifyRequest {
    /** Throws if the record is not the one that the caller has read. The trail learns from it what the record was. */
    precondition: Precondition;
  }
}

export function offerEtags(app: FastifyInstance): void {
  app.decorateRequest(
    "precondition",
    async function (this: FastifyRequest, describe: () => Promise<object | undefined>) {
      const wanted = this.headers["if-match"];
      const isKept = keepsDifference(this);
      if (wanted === undefined && !isKept) return;
      const current = await describe();
      if (isKept) this.shownBefore = current ?? null;
      if (wanted === undefined) return;
      if (current === undefined || !isMatch(wanted, etagOf(current, prefixOf(this))))
        throw etagErrors.problem("changed_meanwhile");
    },
  );
  app.addHook("preSerialization", async (request, reply, payload) => {
    if (request.method !== "DELETE" && reply.statusCode === 200 && isSingle(payload))
      reply.header("ETag", etagOf(payload, prefixOf(request)));
    return payload;
  });
}

/** One record in its envelope: not a list, which has several members or an array. */
const isSingle = (payload: unknown): payload is object => {
  const [record, ...others] = Object.values(payload ?? {});
  return others.length === 0 && typeof record === "object" && record !== null && !Array.isArray(record);
};

/**
 * Counts of other records are left out: they change all the time on a busy plan, and no change of the plan could overwrite them. Numbers
 * are hashed as text, because a repeated answer may have a number where the first had a bigint.
 */
function etagOf(answer: object, prefix: string): string {
  const text = JSON.stringify(answer, (name, value) => {
    if (typeof value !== "number" && typeof value !== "bigint") return value;
    return name.endsWith("_count") ? undefined : String(value);
  });
  return `"${createHash("sha256").update(renameMembers(text, prefix)).digest("base64url").slice(0, 27)}"`;
}

/** Proxies that compress mark an ETag as weak. The record is the same. */
const isMatch = (header: string, etag: string): boolean =>
  header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
