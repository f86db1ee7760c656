/** The headers of a message: its id and type, and the signatures by which the receiver verifies the sender. */
import { createHash, createHmac, sign } from "node:crypto";
import { promisify } from "node:util";
import { headerOf } from "../../../http/field-prefix.ts";

const signAsync = promisify(sign);

export type Signing = {
  messageId: string;
  /** The exact bytes that are sent. */
  body: Buffer;
  algorithm: string;
  secret: string;
  /** Replaced secrets that still work. */
  oldSecrets: readonly string[];
  /** PEM. */
  privateKey: string;
  /** The issuer in a JWT. */
  issuer: string;
  /** The organization's, for the names of headers. */
  prefix: string;
  now: Temporal.Instant;
};

export async function signedHeaders(signing: Signing): Promise<Record<string, string>> {
  const { messageId, body, algorithm, secret, oldSecrets, prefix, now } = signing;
  const timestamp = String(Math.floor(now.epochMilliseconds / 1000));
  const stamped = Buffer.concat([Buffer.from(`${messageId}.${timestamp}.`), body]);
  return {
    "Content-Type": "application/json",
    "User-Agent": "Tallystick",
    [signatureHeader(prefix)]: algorithm === "hmac" ? hmac(secret, body) : await jwtOf(signing),
    [headerOf("X-Svc-Signature-Algorithm", prefix)]: algorithm,
    [headerOf("X-Svc-Unique-Key", prefix)]: messageId,
    "webhook-id": messageId,
    "webhook-timestamp": timestamp,
    "webhook-signature": [secret, ...oldSecrets].map((one) => `v1,${hmac(bytesOf(one), stamped)}`).join(" "),
  };
}

export const signatureHeader = (prefix: string): string => headerOf("X-Svc-Signature", prefix);

const hmac = (key: string | Buffer, data: Buffer): string => createHmac("sha256", key).update(data).digest("base64");

const bytesOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64");

/** Servers refuse long headers: nginx by default those above 8 KB. */
const TOKEN_BYTES_MAX = 4_096;
/** Of an RSA key of 2,048 bits, in Base64. */
const SIGNATURE_BYTES = 342;

/** The same on every attempt: nothing in it depends on the time. A long body is replaced by its hash. */
async function jwtOf({ body, privateKey, issuer }: Signing): Promise<string> {
  const part = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString("base64url");
  const partsOf = (claims: object): string =>
    `${part({ alg: "RS256", typ: "JWT" })}.${part({ ...claims, iss: issuer })}`;
  const whole = partsOf({ data: body.toString() });
  const isLong = whole.length + 1 + SIGNATURE_BYTES > TOKEN_BYTES_MAX;
  const signed = isLong ? partsOf({ sha256: createHash("sha256").update(body).digest("hex") }) : whole;
  const signature = await signAsync("RSA-SHA256", Buffer.from(signed), privateKey);
  return `${signed}.${signature.toString("base64url")}`;
}
