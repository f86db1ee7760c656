/** The settings of how much a caller may ask for. */
import { integer } from "./whole-number.ts";

export const LIMIT_SETTINGS = {
  RATE_LIMIT_EVENTS: {
    description:
      "The maximum of ingestion requests per second and API key. 0 means no limit. Off in `npm run dev` and the sandbox.",
    example: "500",
    default: "500",
    parse: integer(0, 1_000_000),
  },
  RATE_LIMIT_USAGE: {
    description:
      "The maximum of current usage requests per second and API key. 0 means no limit. Off in `npm run dev` and the sandbox.",
    example: "200",
    default: "200",
    parse: integer(0, 1_000_000),
  },
  RATE_LIMIT_OTHER: {
    description:
      "The maximum of all other requests per second and API key. 0 means no limit. Off in `npm run dev` and the sandbox.",
    example: "50",
    default: "50",
    parse: integer(0, 1_000_000),
  },
  RATE_LIMIT_ADDRESS: {
    description:
      "The maximum of requests per second and address that need no key (files, `/docs`, `/openapi.json`) or whose key does not " +
      "work. 0 means no limit. Off in `npm run dev` and the sandbox.",
    example: "50",
    default: "50",
    parse: integer(0, 1_000_000),
  },
  SIGN_INS_OF_EMAIL: {
    description:
      "How many passwords may be tried per minute for one mail address, over all processes. 0 means no limit. Off in `npm run dev` and the sandbox.",
    example: "5",
    default: "5",
    parse: integer(0, 1_000),
  },
  SIGN_INS_OF_NETWORK: {
    description:
      "How many sign-ins may be tried per minute from one network: an IPv4 address, or a /64 of IPv6. Behind a proxy, set `TRUSTED_PROXIES` too, or all people share one address. 0 means no limit. Off in `npm run dev` and the sandbox.",
    example: "20",
    default: "20",
    parse: integer(0, 100_000),
  },
  RATE_LIMIT_KILOBYTES: {
    description:
      "The maximum of kilobytes per second and API key, of requests and answers together. At least one request per second always passes. 0 means no limit. Off in `npm run dev` and the sandbox. The default lets no key keep two cores busy; raise it on larger machines, or where all keys are yours.",
    example: "1500",
    default: "1500",
    parse: integer(0, 10_000_000),
  },
  REQUESTS_AT_ONCE: {
    description:
      "The maximum of requests of an API key that are under way at the same time. 0 means no limit. Off in `npm run dev` and the sandbox.",
    example: "50",
    default: "50",
    parse: integer(0, 1_000_000),
  },
} as const;

/** No rate limits, for development, the sandbox and tests. */
export const NO_RATE_LIMITS = {
  RATE_LIMIT_EVENTS: "0",
  RATE_LIMIT_USAGE: "0",
  RATE_LIMIT_OTHER: "0",
  RATE_LIMIT_ADDRESS: "0",
  SIGN_INS_OF_EMAIL: "0",
  SIGN_INS_OF_NETWORK: "0",
  RATE_LIMIT_KILOBYTES: "0",
  REQUESTS_AT_ONCE: "0",
} as const;
