/** What browsers and slow networks need: answers for pages of other origins, and compressed answers. */
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { PUBLIC } from "./auth.ts";

const DAY_SECONDS = 86_400;

/** Only pages of the listed origins may call from a browser. They use keys: no cookie is ever allowed. */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  // A browser asks without a key whether it may call.
  app.addHook("onRoute", (route) => {
    if (route.method === "OPTIONS" && route.url === "*") route.config = { ...route.config, permission: PUBLIC };
  });
  await app.register(cors, {
    origin: [...origins],
    methods: ["GET", "POST", "PUT", "DELETE"],
    allowedHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "X-Request-Id"],
    exposedHeaders: [
      "ETag",
      "Deprecation",
      "Retry-After",
      "Warning",
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "X-Request-Id",
    ],
    maxAge: DAY_SECONDS,
  });
}

/**
 * With gzip or Brotli, if the caller asks for it. That the length of an answer then tells something of its content (BREACH) needs a
 * browser that adds the secret by itself, as it does with a cookie; but a request with a cookie that comes from another site gets no answer. Compressed requests are not accepted: a small
 * one can become a huge body.
 */
export async function compressAnswers(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    globalDecompression: false,
    encodings: ["br", "gzip"],
    // Below this, the headers are most of an answer.
    threshold: 1024,
    // The default quality is for files that are compressed once and sent often.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
}
