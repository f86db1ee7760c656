/** A run of the job: what it calls, and how it says where it is. */
import type { SampleDataRow } from "./schema.ts";
import type { Progress } from "./store.ts";

// biome-ignore lint/suspicious/noExplicitAny: the body of any answer of the API, which its schema describes
type Body = any;
/** Calls the API for the organization. Throws what is refused, unless the code is in `except`: then it returns undefined. */
export type CallApi = (
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: object,
  except?: readonly string[],
) => Promise<Body>;
export type Calls = { call: CallApi; close: () => Promise<void> };

export type Run = { call: CallApi; row: SampleDataRow; note: (progress: Progress) => Promise<void> };
