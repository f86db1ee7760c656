/**
 * Lives a number of lives in the tree that this file lies in, until one of them shows that something is wrong: a check of the lives, or an
 * invariant of `verify`. Writes what it found to a file.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { type Finding, verify } from "../../packages/server/src/verify/index.ts";
import { drawLife, live } from "../lives/live.ts";
import { marksOf } from "../lives/marks.ts";
import type { Stage } from "../lives/session.ts";
import { withService } from "../served-api.ts";
import type { Found, Tried } from "./tried.ts";

const LANES = 3;
/** All invariants are looked at after so many. */
const LIVES_IN_TURN = 6;
const ROWS_MAX = 1000;
/** Invariants that allow for work to be done within an hour: they are looked at as of two hours later, for nothing waits in a life. */
const WITH_ALLOWANCE = ["deleted-plans-are-closed"];

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    /** The lives, by their numbers, separated by commas. */
    lives: { type: "string", default: "" },
    result: { type: "string", default: "tried.json" },
  },
});

/** Asked to end, it lives no further life, and stops the cluster that it started. */
let isEnding = false;
process.on("SIGTERM", () => {
  isEnding = true;
});

async function tryLives(seed: number, expected: readonly number[]): Promise<Tried> {
  return withService({ connections: 12 }, async (service) => {
    const pool = new pg.Pool({ connectionString: service.url, max: LANES, options: "-c timezone=UTC" });
    pool.on("error", () => undefined);
    try {
      const stage = { service, pool, readMarks: await marksOf(pool), note: () => undefined };
      const turns = new Turns(stage, seed);
      for (let from = 0; from < expected.length; from += LIVES_IN_TURN) {
        if (isEnding || turns.found.length > 0) break;
        await turns.take(expected.slice(from, from + LIVES_IN_TURN));
      }
      return {
        lived: turns.lived,
        found: turns.found.toSorted((one, other) => expected.indexOf(one.life) - expected.indexOf(other.life)),
      };
    } finally {
      await pool.end();
    }
  });
}

/** What is before a life that shows something is lived to its end, so that the first of them is the same one each time. */
class Turns {
  readonly found: Found[] = [];
  lived = 0;
  private readonly stage: Stage;
  private readonly seed: number;
  private readonly lifeOf = new Map<string, number>();

  constructor(stage: Stage, seed: number) {
    this.stage = stage;
    this.seed = seed;
  }

  /** Several at a time. */
  async take(turn: readonly number[]): Promise<void> {
    const waiting = [...turn];
    const isNeeded = (life: number): boolean =>
      !isEnding && this.found.every((one) => turn.indexOf(one.life) > turn.indexOf(life));
    const lane = async (): Promise<void> => {
      for (let life = waiting.shift(); life !== undefined && isNeeded(life); life = waiting.shift())
        await this.liveOne(life);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    await this.verify(turn);
  }

  private async liveOne(life: number): Promise<void> {
    this.lived++;
    try {
      const { organizationId, failure } = await live(this.stage, drawLife(this.seed, life));
      this.lifeOf.set(organizationId, life);
      if (failure) this.found.push({ life, by: "check", name: failure.what, about: failure.about, invariants: [] });
    } catch (error) {
      // What no life is made for: it shows something, unless it does so without the fault too.
      this.found.push({ life, by: "error", name: String(error).slice(0, 200), about: "", invariants: [] });
    }
  }

  private async findBroken(): Promise<readonly Finding[]> {
    const { url, platform } = this.stage.service;
    const findings = await verify(url, { rowsMax: ROWS_MAX });
    const only = findings.map(({ name }) => name).filter((name) => WITH_ALLOWANCE.includes(name));
    const now = platform.clock.now().add({ hours: 2 });
    const later = only.length === 0 ? [] : await verify(url, { rowsMax: ROWS_MAX, only, now });
    return [...findings.filter(({ name }) => !only.includes(name)), ...later];
  }

  private async verify(turn: readonly number[]): Promise<void> {
    const brokenIn = new Map<number, string[]>();
    for (const { name, rows } of await this.findBroken())
      for (const organizationId of new Set(rows.map((row) => String(row.organization_id)))) {
        const life = this.lifeOf.get(organizationId);
        if (life !== undefined && turn.includes(life)) brokenIn.set(life, [...(brokenIn.get(life) ?? []), name]);
      }
    for (const [life, invariants] of brokenIn) {
      const [name = ""] = invariants;
      const index = this.found.findIndex((one) => one.life === life);
      const before = this.found[index];
      if (before) this.found[index] = { ...before, invariants };
      else this.found.push({ life, by: "verify", name, about: "", invariants });
    }
  }
}

const numbers = values.lives.split(",").map(Number);
await writeFile(values.result, JSON.stringify(await tryLives(Number(values.seed), numbers)));
