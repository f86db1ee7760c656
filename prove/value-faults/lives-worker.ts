/**
 * Lives a number of lives in the tree that this file lies in, until one of them shows that something is wrong: a check of the lives, or an
 * invariant of `verify` over the organization of a life. Writes what it found to a file.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { verify } from "../../packages/server/src/verify/index.ts";
import { drawLife, live } from "../lives/live.ts";
import type { Stage } from "../lives/session.ts";
import { withService } from "../served-api.ts";
import type { Found, Tried } from "./tried.ts";

const LANES = 3;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    /** The lives, by their numbers, separated by commas. */
    lives: { type: "string", default: "" },
    /** Also those after the first that shows something. */
    all: { type: "boolean", default: false },
    result: { type: "string", default: "trial.json" },
  },
});

const numbers = values.lives.split(",").map(Number);
await writeFile(values.result, JSON.stringify(await tryLives(Number(values.seed), numbers)));

/** Several at a time. What lives before the first that shows something is lived to its end, so that it is the same one each time. */
async function tryLives(seed: number, wanted: readonly number[]): Promise<Tried> {
  return withService({ connections: 12 }, async (service) => {
    const pool = new pg.Pool({ connectionString: service.url, max: LANES, options: "-c timezone=UTC" });
    pool.on("error", () => undefined);
    const stage: Stage = { service, pool, note: () => undefined };
    const waiting = [...wanted];
    const found: Found[] = [];
    let lived = 0;
    const lane = async (): Promise<void> => {
      for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
        if (found.length > 0 && !values.all) return;
        const one = await tryLife(stage, seed, number);
        lived++;
        if (one) found.push(one);
      }
    };
    try {
      await Promise.all(Array.from({ length: LANES }, lane));
      return { lived, found: found.toSorted((one, other) => one.life - other.life) };
    } finally {
      await pool.end();
    }
  });
}

async function tryLife(stage: Stage, seed: number, life: number): Promise<Found | undefined> {
  try {
    const { organizationId, failure } = await live(stage, drawLife(seed, life));
    const findings = await verify(stage.service.url, { organizationId });
    const invariants = findings.filter(({ broken }) => broken > 0).map(({ name }) => name);
    if (failure) return { life, by: "check", name: failure.what, about: failure.about, invariants };
    const [name] = invariants;
    return name === undefined ? undefined : { life, by: "verify", name, about: "", invariants };
  } catch (error) {
    // What no life is made for: it shows something, unless it does so without the fault too.
    return { life, by: "error", name: String(error).slice(0, 200), about: "", invariants: [] };
  }
}
