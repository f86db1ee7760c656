/** The outside: checks every signature with the libraries of others, and writes down what came before it answers. */
import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { importSPKI, jwtVerify } from "jose";
import { Webhook } from "standardwebhooks";
import { type HttpServer, startReceiver } from "../receiver.ts";
import type { Records } from "../records.ts";

/** Between receiving and answering, where a kill leaves the sender in doubt. */
const ANSWER_AFTER_MS_MAX = 80;
/** Of 256: so many are refused the first time they come. */
const REFUSED = 24;

export type Endpoint = { id: string; secret: string; algorithm: string };
export type EndpointReceiver = HttpServer & {
  /** By the path that their URL has. */
  endpoints: Map<string, Endpoint>;
};

/** `publicKey`: of JWT signatures, as the API gives it. */
export async function startEndpointReceiver(records: Records, publicKey: string): Promise<EndpointReceiver> {
  const endpoints = new Map<string, Endpoint>();
  const refused = new Set<string>();
  const server = await startReceiver(async (request) => {
    const body = await buffer(request);
    const endpoint = endpoints.get(request.url ?? "");
    if (!endpoint) return 404;
    const { headers } = request;
    const id = String(headers["webhook-id"]);
    const faults = await faultsOf({ headers, body, endpoint, publicKey });
    const digest = createHash("sha256").update(body).digest();
    const place = `${endpoint.id} ${id}`;
    const isRefused = !refused.has(place) && Number.parseInt(id.slice(-2), 16) < REFUSED;
    refused.add(place);
    const answered = isRefused ? 500 : 200;
    await records.query(
      "insert into prove.received (endpoint_id, message_id, digest, answered, faults) values ($1, $2, $3, $4, $5)",
      [endpoint.id, id, digest, answered, faults],
    );
    await pause(Math.random() * ANSWER_AFTER_MS_MAX);
    return answered;
  });
  return { ...server, endpoints };
}

type Signed = { headers: IncomingHttpHeaders; body: Buffer; endpoint: Endpoint; publicKey: string };

/** The names of the signatures that are not right. */
async function faultsOf({ headers, body, endpoint, publicKey }: Signed): Promise<string[]> {
  const signature = String(headers["x-svc-signature"]);
  const checks: Record<string, () => boolean | Promise<boolean>> = {
    id: () => headers["x-svc-unique-key"] === headers["webhook-id"],
    algorithm: () => headers["x-svc-signature-algorithm"] === endpoint.algorithm,
    standard: () => {
      new Webhook(endpoint.secret).verify(body.toString(), headers as Record<string, string>);
      return true;
    },
    [endpoint.algorithm]:
      endpoint.algorithm === "hmac"
        ? () => signature === createHmac("sha256", endpoint.secret).update(body).digest("base64")
        : async () => {
            const key = await importSPKI(Buffer.from(publicKey, "base64").toString(), "RS256");
            const { data, sha256 } = (await jwtVerify(signature, key)).payload;
            return data === undefined
              ? sha256 === createHash("sha256").update(body).digest("hex")
              : data === body.toString();
          },
  };
  const faults: string[] = [];
  for (const [name, isRight] of Object.entries(checks))
    if (
      !(await Promise.resolve()
        .then(isRight)
        .catch(() => false))
    )
      faults.push(name);
  return faults;
}
