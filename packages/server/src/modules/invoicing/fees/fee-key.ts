/** Keys of fees as they are stored: they hold the values that events are grouped by, which may be longer than an index takes. */
import { createHash } from "node:crypto";

/** Characters take up to four bytes, and an entry of an index at most some 2,700. */
const LENGTH_MAX = 600;

/** A long key keeps its beginning, by which it can be read, and the digest of all of it. */
export const toStoredKey = (key: string): string =>
  key.length <= LENGTH_MAX
    ? key
    : `${key.slice(0, LENGTH_MAX - 100)} ${createHash("sha256").update(key).digest("hex")}`;
