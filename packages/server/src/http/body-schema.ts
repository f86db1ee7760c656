/** The schema of a body. A route that takes several media types declares them under `content`, as the API description shows them. */
import type { FastifyRequest } from "fastify";

export const JSON_TYPE = "application/json";

export type BodyContent = Readonly<Record<string, { schema: object }>>;

export const contentOf = (body: unknown): BodyContent | undefined =>
  (body as { content?: BodyContent } | undefined)?.content;

/** By default that of our own format. */
export const bodySchemaOf = (body: unknown, mediaType: string = JSON_TYPE): unknown => {
  const content = contentOf(body);
  return content ? content[mediaType]?.schema : body;
};

/** Whether the body is in a format that others define: what it may hold is not for us to say. */
export const isForeign = ({ mediaType, routeOptions }: FastifyRequest): boolean =>
  mediaType !== undefined && mediaType !== JSON_TYPE && contentOf(routeOptions.schema?.body)?.[mediaType] !== undefined;
