/** What leaves this process other than to Postgres: answers to requests, webhooks, rows for ClickHouse. Each is a crash point. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createClient } from "@clickhouse/client";
import type { Platform } from "../../packages/server/src/main/compose.ts";
import { type CrashPoints, currentStage, during } from "./crash-point.ts";
import { effectOf, type Stage } from "./effects.ts";

/** By the first word of the path; everything else that is asked for here is about bills. */
const STAGES_OF_PATHS: Readonly<Record<string, Stage>> = {
  events: "events",
  applied_coupons: "credits",
  credit_notes: "credits",
  wallets: "credits",
  wallet_transactions: "credits",
};

/** A request is work of its stage, and its answer the last effect of it. */
export function wrapAnswers(server: Server, points: CrashPoints): void {
  const emit = server.emit.bind(server);
  server.emit = ((event: string, ...given: unknown[]) => {
    if (event !== "request") return emit(event, ...given);
    const [request, response] = given as [IncomingMessage, ServerResponse];
    const [word = ""] = (request.url ?? "").replace("/api/v1/", "").split(/[/?]/);
    const stage = STAGES_OF_PATHS[word] ?? "billing";
    if (request.method !== "GET") wrapAnswer(response, () => points.enter(`${stage}: answer`));
    return during(stage, () => emit(event, ...given));
  }) as typeof server.emit;
}

function wrapAnswer(response: ServerResponse, enter: () => () => void): void {
  const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
  response.end = ((...given: unknown[]) => {
    const left = enter();
    response.once("finish", left);
    return end(...given);
  }) as typeof response.end;
}

/** The one way out to receivers of webhooks. */
export function wrapWebhooks({ outbound }: Platform, points: CrashPoints): void {
  const { post } = outbound;
  outbound.post = async (...given) => {
    const left = points.enter("webhooks: send");
    const answer = await post(...given);
    left();
    return answer;
  };
}

type Requested = { query: string };
type Exec = (this: object, requested: Requested) => Promise<unknown>;

/** The client's own methods: whoever made a client of it, its statements pass here. */
export function wrapClickhouse(points: CrashPoints): void {
  const client = createClient();
  for (const method of ["exec", "command"] as const) {
    let prototype = Object.getPrototypeOf(client) as Record<string, Exec>;
    while (!Object.hasOwn(prototype, method)) prototype = Object.getPrototypeOf(prototype);
    const run = prototype[method];
    if (!run) throw new Error(`the client of ClickHouse has no ${method}`);
    prototype[method] = async function (queried) {
      const effect = effectOf(queried.query);
      const stage = currentStage();
      if (!effect || stage === undefined) return run.call(this, queried);
      const left = points.enter(`relay: ${effect.verb} ${effect.on} (ClickHouse)`);
      const answer = await run.call(this, queried);
      left();
      return answer;
    };
  }
  void client.close();
}
