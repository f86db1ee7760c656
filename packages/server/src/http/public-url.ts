/** The address of this service, for links that clients open. */
import type { FastifyInstance, FastifyRequest } from "fastify";

/** In place of an address: use the address that the request was sent to. */
export const AS_CALLED = "as-called";

declare module "fastify" {
  interface FastifyRequest {
    /** Without a trailing slash. */
    readonly publicUrl: string;
  }
}

export function offerPublicUrl(app: FastifyInstance, setting: string): void {
  app.decorateRequest("publicUrl", {
    getter(this: FastifyRequest) {
      return setting === AS_CALLED ? `${this.protocol}://${this.host}` : setting;
    },
  });
}
