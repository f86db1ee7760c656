/**
 * Removed members, for organizations that still use them. A request is translated to the current members before it is validated, and a
 * response gets the removed members when it is written. Routes are not involved, and other organizations are not affected.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { alone, type Batch } from "../platform/postgres/batch.ts";

/** Runs in a transaction of the organization. Messages are translated in batches. */
export type Read = <T>(work: (batch: Batch, organizationId: string) => Promise<T>) => Promise<T>;

export type Translation = {
  /** Translates a body to the current members. */
  ofRequest: (body: unknown, read: Read) => Promise<unknown>;
  /** The members that earlier versions knew. */
  names: readonly string[];
  /** Whether earlier versions knew the member at this path of names. */
  isRemoved: (path: readonly string[]) => boolean;
  /** Adds the removed members to the text of a response. It is text, so that no digit is lost. */
  ofAnswer: (text: string, read: Read) => Promise<string>;
};

export function translateForOldClients(app: FastifyInstance, translation: Translation): void {
  const readOf =
    (request: FastifyRequest): Read =>
    (work) =>
      request.read((tx, organizationId) => work(alone(tx), organizationId));

  app.addHook("preValidation", async (request) => {
    if (request.caller.usesDeprecated) request.body = await translation.ofRequest(request.body, readOf(request));
  });

  // A request with a refused key has no caller.
  app.addHook("onSend", async (request, reply, payload) => {
    const isTranslated = request.caller?.usesDeprecated && reply.statusCode === 200 && isJsonText(payload);
    return isTranslated ? translation.ofAnswer(payload, readOf(request)) : payload;
  });
}

const isJsonText = (payload: unknown): payload is string => typeof payload === "string" && payload.startsWith("{");
