/** The address of this service, for links that others open. */
import type { FastifyInstance, FastifyRequest } from "fastify";

/** In place of an address: the one under which it was called. */
export const AS_CALLED = "as-called";

declare module "fastify" {
  interface FastifyRequest {
    /** Without a slash at its end. */
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
