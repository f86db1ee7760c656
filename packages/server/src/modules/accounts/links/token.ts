/** What a browser or a link holds: 32 random bytes as text. Only their SHA-256 is stored. */
import { createHash, randomBytes } from "node:crypto";

export const newToken = (): string => randomBytes(32).toString("base64url");

/** The token has 256 bits of randomness, so a slow hash is not needed. */
export const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();
