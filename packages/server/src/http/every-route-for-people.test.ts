/** The promises of every route, with people who signed in instead of keys. */
import { expect, test } from "vitest";

// biome-ignore lint/correctness/noUnresolvedImports: the query makes it another module, which is run again
await import("./every-route.test.ts?people" as string);
