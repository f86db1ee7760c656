/** Stored keys of fees. They contain grouping values, which may be too long for an index. */
import { createHash } from "node:crypto";

/** A character takes up to four bytes, and an index entry at most about 2,700. */
const LENGTH_MAX = 600;

/** A long key keeps its readable beginning, plus a digest of the whole key. */
export const toStoredKey = (key: string): string =>
  key.length <= LENGTH_MAX
    ? key
    : `${key.slice(0, LENGTH_MAX - 100)} ${createHash("sha256").update(key).digest("hex")}`;
