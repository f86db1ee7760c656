/** The address of this service, for links that clients open. It is a setting: a link must never lead where a request said. */
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** Without a trailing slash. */
    readonly publicUrl: string;
  }
}

export function offerPublicUrl(app: FastifyInstance, url: string): void {
  app.decorateRequest("publicUrl", { getter: () => url });
}
