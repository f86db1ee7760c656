/** The only outbound HTTP of the service: to public addresses, checked when the connection is made, without redirects. */
import { lookup as systemLookup } from "node:dns";
import { isIP } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, buildConnector, request } from "undici";
import { isPublicAddress } from "./addresses.ts";

const PORTS = ["", "443", "8443"];
/** Names that no public server has: those of this machine, of a local network, and (RFC 6762, RFC 8375, ICANN) of private networks. */
const PRIVATE_NAME = /^[^.]+$|(^|\.)(localhost|local|internal|home\.arpa)$/;
/** A name that takes longer to resolve is judged when something is sent to it. */
const JUDGE_MS_MAX = 2_000;
/** The rest of a longer response is not read. */
const RESPONSE_BYTES_MAX = 64 * 1024;

type Resolved = { address: string; family: number };
export type Lookup = (
  host: string,
  options: { all: true },
  answer: (error: Error | null, addresses: Resolved[]) => void,
) => void;

export type OutboundOptions = {
  /** Hosts, as written in a URL, that may have any address and port, and no TLS. For development and tests. */
  trustedHosts: readonly string[];
  timeoutMs: number;
  lookup?: Lookup;
  /** As written in a URL; "" is the protocol's default port. */
  ports?: readonly string[];
};

export type Answered = { status: number; headers: Record<string, string>; body: Buffer };

/** A word for the log and for users who check why nothing arrived. It never contains what a private host responded. */
export class OutboundFailure extends Error {
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

/** Why nothing is ever sent to a URL, whatever answers there. */
export type UrlRefusal =
  | "url_is_invalid"
  | "https_is_required"
  | "credentials_in_url"
  | "port_is_not_allowed"
  | "address_instead_of_name"
  | "name_is_not_public"
  | "address_is_not_public";

export type OutboundHttp = {
  /** Judges a URL as a request to it would. A name without an address is fine, because it may get one later. */
  judge: (url: string) => Promise<UrlRefusal | undefined>;
  /** Any HTTP status is a response; everything else is an OutboundFailure. */
  post: (url: string, headers: Record<string, string>, body: Buffer) => Promise<Answered>;
  /** A longer response is a failure too. */
  get: (url: string, headers: Record<string, string>, bytesMax: number) => Promise<Answered>;
  close: () => Promise<void>;
};

type Requested = { method: "GET" | "POST"; headers: Record<string, string>; body?: Buffer };

export function createOutboundHttp(options: OutboundOptions): OutboundHttp {
  const { timeoutMs } = options;
  const guarded = createAgent(options, guardedConnect(options));
  const trusted = createAgent(options, buildConnector({ timeout: timeoutMs }));
  const send = async (url: string, requested: Requested, bytesMax: number): Promise<Answered> => {
    const refused = refusalOfUrl(url, options);
    if (refused) throw new OutboundFailure(refused);
    const target = new URL(url);
    const isTrusted = options.trustedHosts.includes(target.hostname);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const dispatcher = isTrusted ? trusted : guarded;
      // No redirect is followed: undici does so only if configured.
      const answer = await request(target, { ...requested, dispatcher, signal });
      return {
        status: answer.statusCode,
        headers: plainHeaders(answer.headers),
        body: await readAtMost(answer.body, bytesMax),
      };
    } catch (error) {
      throw asFailure(error, signal);
    }
  };
  return {
    judge: async (url) => refusalOfUrl(url, options) ?? (await refusalOfName(new URL(url).hostname, options)),
    post: (url, headers, body) => send(url, { method: "POST", headers, body }, RESPONSE_BYTES_MAX),
    get: async (url, headers, bytesMax) => {
      const answer = await send(url, { method: "GET", headers }, bytesMax + 1);
      if (answer.body.length > bytesMax) throw new OutboundFailure("answer_is_too_large");
      return answer;
    },
    close: async () => {
      await Promise.all([guarded.destroy(), trusted.destroy()]);
    },
  };
}

/** One request at a time on a connection. Idle connections close soon, so that an address is checked again. */
const createAgent = ({ timeoutMs }: OutboundOptions, connect: buildConnector.connector): Agent =>
  new Agent({ connect, pipelining: 1, keepAliveTimeout: 4_000, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });

/** What the URL alone shows. Node has normalized its host by now: 2130706433 is 127.0.0.1. */
function refusalOfUrl(text: string, { trustedHosts, ports = PORTS }: OutboundOptions): UrlRefusal | undefined {
  if (!URL.canParse(text)) return "url_is_invalid";
  const url = new URL(text);
  if (trustedHosts.includes(url.hostname)) return undefined;
  if (url.protocol !== "https:") return "https_is_required";
  if (url.username !== "" || url.password !== "") return "credentials_in_url";
  if (!ports.includes(url.port)) return "port_is_not_allowed";
  if (url.hostname.startsWith("[") || isIP(url.hostname) !== 0) return "address_instead_of_name";
  return PRIVATE_NAME.test(url.hostname.replace(/\.$/, "")) ? "name_is_not_public" : undefined;
}

/** What the addresses of the name show now. They are checked again for every connection. */
async function refusalOfName(name: string, options: OutboundOptions): Promise<UrlRefusal | undefined> {
  if (options.trustedHosts.includes(name)) return undefined;
  const { lookup = systemLookup as Lookup } = options;
  const addresses = await Promise.race([
    new Promise<Resolved[]>((resolve) => lookup(name, { all: true }, (error, found) => resolve(error ? [] : found))),
    pause(JUDGE_MS_MAX, [], { ref: false }),
  ]);
  return addresses.length > 0 && refusalOf(addresses) ? "address_is_not_public" : undefined;
}

/**
 * Checks every address of a name when the connection is made, and the address that was connected to, because a name can resolve differently
 * from one moment to the next. A literal address skips the lookup, so it is checked separately.
 */
function guardedConnect({ timeoutMs, lookup = systemLookup as Lookup }: OutboundOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: (host: string, { all }: { all?: boolean }, answer: (error: Error | null, ...found: unknown[]) => void) =>
      lookup(host, { all: true }, (error, addresses) => {
        const refused = error ?? refusalOf(addresses);
        if (refused) answer(refused, []);
        else if (all) answer(null, addresses);
        else answer(null, addresses[0]?.address, addresses[0]?.family);
      }),
  } as buildConnector.BuildOptions);
  return (target, callback) => {
    if (isIP(target.hostname.replace(/^\[|\]$/g, "")) !== 0)
      return callback(new OutboundFailure("address_instead_of_name"), null);
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (isPublicAddress(socket.remoteAddress ?? "")) return callback(null, socket);
      socket.destroy();
      callback(new OutboundFailure("address_is_not_public"), null);
    });
  };
}

/** A name with any private address is refused as a whole: it is probably an attack. A name without an address is refused too. */
function refusalOf(addresses: readonly Resolved[]): OutboundFailure | undefined {
  const isFine = addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address));
  return isFine ? undefined : new OutboundFailure("address_is_not_public");
}

async function readAtMost(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part.subarray(0, bytesMax - length));
    length += part.length;
    // Leaving the loop closes the connection.
    if (length >= bytesMax) break;
  }
  return Buffer.concat(parts);
}

const plainHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? "")]));

function asFailure(error: unknown, signal: AbortSignal): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  if (signal.aborted) return new OutboundFailure("timed_out", { cause: error });
  const { code, cause } = error as { code?: string; cause?: unknown };
  if (cause instanceof OutboundFailure) return cause;
  return new OutboundFailure(REASONS[code ?? ""] ?? "connection_failed", { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "name_is_unknown",
  EAI_AGAIN: "name_is_unknown",
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  UND_ERR_SOCKET: "connection_reset",
  UND_ERR_CONNECT_TIMEOUT: "timed_out",
  UND_ERR_HEADERS_TIMEOUT: "timed_out",
  UND_ERR_BODY_TIMEOUT: "timed_out",
  CERT_HAS_EXPIRED: "certificate_is_invalid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate_is_invalid",
  SELF_SIGNED_CERT_IN_CHAIN: "certificate_is_invalid",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate_is_invalid",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate_is_invalid",
};
