/**
 * For organizations that want members that were removed, at one place: a request is put into the members of today before it is validated,
 * and an answer gets those of old when it is written. Routes know nothing of it, and other organizations are not concerned.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { alone, type Batch } from "../platform/postgres/batch.ts";

/** Runs in a transaction of the organization. Messages are translated in batches. */
export type Read = <T>(work: (batch: Batch, organizationId: string) => Promise<T>) => Promise<T>;

export type Translation = {
  /** What a body says in the members of today. */
  ofRequest: (body: unknown, read: Read) => Promise<unknown>;
  /** The text of an answer with the members of old; as text, so that no digit is lost. */
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

  // A request that is refused for its key has no caller.
  app.addHook("onSend", async (request, reply, payload) => {
    const isTranslated = request.caller?.usesDeprecated && reply.statusCode === 200 && isJsonText(payload);
    return isTranslated ? translation.ofAnswer(payload, readOf(request)) : payload;
  });
}

const isJsonText = (payload: unknown): payload is string => typeof payload === "string" && payload.startsWith("{");
