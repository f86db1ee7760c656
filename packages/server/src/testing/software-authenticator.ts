/** A passkey in software: what an authenticator and the browser around it would answer, with every part open to forgery. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const UP = 0x01;
const UV = 0x04;
const ATTESTED = 0x40;

type Options = { challenge: string; rpId?: string; rp?: { id?: string }; user?: { id: string } };
/** What an attacker would change. */
export type Forgery = {
  origin?: string;
  rpId?: string;
  counter?: number;
  isVerified?: boolean;
  challenge?: string;
  userHandle?: string;
};

const digest = (text: string | Buffer): Buffer => createHash("sha256").update(text).digest();
const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString("base64url");

/** A byte string of CBOR. */
const cborBytes = (bytes: Buffer): Buffer =>
  Buffer.concat([
    bytes.length < 256 ? Buffer.from([0x58, bytes.length]) : Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]),
    bytes,
  ]);
/** A text of CBOR, of up to 23 bytes. */
const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

/** COSE: EC2, ES256, P-256. */
const coseKeyOf = ({ x = "", y = "" }: { x?: string; y?: string }): Buffer =>
  Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, "base64url")),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, "base64url")),
  ]);

const flagsOf = ({ isVerified = true }: Forgery): number => UP | (isVerified ? UV : 0);

export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const coseKey = coseKeyOf(publicKey.export({ format: "jwk" }));
  const id = randomBytes(32);
  let counter = 0;
  let userHandle: string | undefined;

  const authenticatorData = (rpId: string, flags: number, attested = Buffer.alloc(0), count = counter): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(count, 1);
    return Buffer.concat([digest(rpId), head, attested]);
  };
  const clientData = (type: string, options: Options, forged: Forgery): Buffer =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: forged.challenge ?? options.challenge,
        origin: forged.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const named = { id: base64(id), rawId: base64(id), type: "public-key", clientExtensionResults: {} };

  return {
    register: (options: Options, forged: Forgery = {}) => {
      userHandle = options.user?.id;
      const length = Buffer.from([0, id.length]);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey]);
      const rpId = forged.rpId ?? options.rp?.id ?? "";
      const data = authenticatorData(rpId, flagsOf(forged) | ATTESTED, attested);
      const attestationObject = Buffer.concat([
        ...[Buffer.from([0xa3]), cborText("fmt"), cborText("none"), cborText("attStmt"), Buffer.from([0xa0])],
        ...[cborText("authData"), cborBytes(data)],
      ]);
      const clientDataJSON = base64(clientData("webauthn.create", options, forged));
      return {
        ...named,
        response: { clientDataJSON, attestationObject: base64(attestationObject), transports: ["internal"] },
      };
    },
    assert: (options: Options, forged: Forgery = {}) => {
      counter++;
      const data = authenticatorData(
        forged.rpId ?? options.rpId ?? "",
        flagsOf(forged),
        undefined,
        forged.counter ?? counter,
      );
      const client = clientData("webauthn.get", options, forged);
      const signature = sign("sha256", Buffer.concat([data, digest(client)]), privateKey);
      return {
        ...named,
        response: {
          clientDataJSON: base64(client),
          authenticatorData: base64(data),
          signature: base64(signature),
          userHandle: forged.userHandle ?? userHandle,
        },
      };
    },
  };
}
