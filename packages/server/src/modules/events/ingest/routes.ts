/** /events: sending usage, as one event or a batch, and reading it. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply } from "fastify";
import { acceptForeignJson } from "../../../http/body.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { CLOUD_EVENT, CLOUD_EVENTS } from "./cloud-event-schema.ts";
import { createRefusedCounter } from "./count-refused.ts";
import { describeEvents, type LoadStatuses } from "./describe-events.ts";
import { eventErrors } from "./errors.ts";
import { createGroupCommit } from "./group-commit.ts";
import { pageOfEvents } from "./list-events.ts";
import { receiveCloudEvent, receiveCloudEvents } from "./receive-cloud-events.ts";
import { receiveMany, receiveOne } from "./receive-events.ts";
import { createEvent, createEvents, eventList, listEvents, showEvent } from "./schema.ts";
import { findEvent } from "./store.ts";
import { createTellTime } from "./tell-time.ts";

export const eventRoutes =
  (deps: { db: Database; clock: Clock; log: Log; loadStatuses: LoadStatuses }): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "event", activity: "none" } as const;
    // Faults of the schema are answered here, where events are counted and reported by index.
    const ingestion = {
      config: { ...config, rateBucket: "events", keepsBodyText: true },
      attachValidation: true,
    } as const;
    const refused = createRefusedCounter(deps);
    const receiving = { clock: deps.clock, submit: createGroupCommit(deps), refused, tellTime: createTellTime() };
    app.addHook("onClose", () => refused.close());

    // In a plugin of its own: only this route takes CloudEvents.
    await app.register(async (inner) => {
      acceptForeignJson(inner, [CLOUD_EVENT, CLOUD_EVENTS]);
      // Not compressed: for so short an answer it takes longer than it saves.
      inner.post("/events", { schema: createEvent, ...ingestion, compress: false }, async (request, reply) => {
        const receive = CLOUD_EVENT_RECEIVERS[request.mediaType ?? ""];
        if (!receive) return sendJson(reply, await receiveOne(receiving, request));
        await receive(receiving, request);
        return reply.status(204).send();
      });
    });

    app.post("/events/batch", { schema: createEvents, ...ingestion }, async (request, reply) =>
      sendJson(reply, await receiveMany(receiving, request)),
    );

    app.get("/events/:transaction_id", { schema: showEvent, config }, async (request, reply) => {
      const { transaction_id } = request.params;
      const [event] = await request.read(async (tx, organizationId) => {
        const row = await findEvent(tx, organizationId, transaction_id);
        if (!row) throw eventErrors.problem("event_not_found");
        return describeEvents(tx, organizationId, [row], deps.loadStatuses);
      });
      return sendJson(reply, `{"event":${event}}`);
    });

    app.get("/events", { schema: listEvents, config }, async (request, reply) => {
      const list = eventList.read(request.query);
      const { events, meta } = await request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfEvents(tx, organizationId, list, deps.loadStatuses);
        return { events: await describeEvents(tx, organizationId, rows, deps.loadStatuses), meta };
      });
      return sendJson(reply, `{"events":[${events}],"meta":${JSON.stringify(meta)}}`);
    });
  };

const CLOUD_EVENT_RECEIVERS: Readonly<Record<string, typeof receiveCloudEvent>> = {
  [CLOUD_EVENT]: receiveCloudEvent,
  [CLOUD_EVENTS]: receiveCloudEvents,
};

/** As text: a JavaScript number would lose digits of properties. */
const sendJson = (reply: FastifyReply, json: string): FastifyReply =>
  reply.type("application/json; charset=utf-8").send(json);
