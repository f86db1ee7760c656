/** The headers of a message: its id and type, and the signatures by which the receiver verifies the sender. */
import { createHmac, sign } from "node:crypto";
import { promisify } from "node:util";

const signAsync = promisify(sign);

export type Signing = {
  messageId: string;
  /** The exact bytes that are sent. */
  body: Buffer;
  algorithm: string;
  secret: string;
  /** PEM. */
  privateKey: string;
  /** The issuer in a JWT. */
  issuer: string;
  now: Temporal.Instant;
};

export async function signedHeaders(signing: Signing): Promise<Record<string, string>> {
  const { messageId, body, algorithm, secret, now } = signing;
  const timestamp = String(Math.floor(now.epochMilliseconds / 1000));
  return {
    "Content-Type": "application/json",
    "User-Agent": "Tallystick",
    "X-Svc-Signature": algorithm === "hmac" ? hmac(secret, body) : await jwtOf(signing),
    "X-Svc-Signature-Algorithm": algorithm,
    "X-Svc-Unique-Key": messageId,
    "webhook-id": messageId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${hmac(
      Buffer.from(secret.replace(/^whsec_/, ""), "base64"),
      Buffer.concat([Buffer.from(`${messageId}.${timestamp}.`), body]),
    )}`,
  };
}

const hmac = (key: string | Buffer, data: Buffer): string => createHmac("sha256", key).update(data).digest("base64");

/** The same on every attempt: nothing in it depends on the time. */
async function jwtOf({ body, privateKey, issuer }: Signing): Promise<string> {
  const part = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString("base64url");
  const signed = `${part({ alg: "RS256", typ: "JWT" })}.${part({ data: body.toString(), iss: issuer })}`;
  const signature = await signAsync("RSA-SHA256", Buffer.from(signed), privateKey);
  return `${signed}.${signature.toString("base64url")}`;
}
