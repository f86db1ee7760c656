/** A story: the life of a bill through the public API, on a clock that the story moves. See ../README.md. */
import { inject, test } from "vitest";
import { startTallystick } from "../../../packages/server/src/testing/start-tallystick.ts";
import { type Api, openApi } from "./api.ts";
import { type Clock, makeClock } from "./clock.ts";
import { type Given, makeGiven } from "./given.ts";
import { keepMessage } from "./messages.ts";
import { makeOffice, type Office } from "./office.ts";
import { makeThen, type Then } from "./then.ts";
import { demandAgreement, demandSameAgain } from "./verification.ts";
import type { World } from "./world.ts";

export type Cast = { given: Given; clock: Clock; office: Office; then: Then };

type Tell = (cast: Cast) => Promise<void>;

/** One service for all stories of a process; each story has its own organization. */
const tallystick = await startTallystick({
  organizations: 0,
  outlivesFile: true,
  subscribers: [keepMessage],
  clickhouse: inject("usageFrom") === "clickhouse",
});

const play = (name: string, tell: Tell) => async () => {
  const api = await openApi(tallystick, name);
  try {
    await tell(await makeCast(api, name));
    await demandSameAgain(api);
    await demandAgreement(tallystick.platform.metrics);
  } catch (error) {
    if (error instanceof Error) error.message += `\n\nWhat happened:\n${api.timeline()}\n`;
    throw error;
  }
};

export function story(name: string, tell: Tell): void {
  test.concurrent(name, play(name, tell));
}

async function makeCast(api: Api, name: string): Promise<Cast> {
  // The prefix of invoice numbers, so that they look the same in all stories.
  await api.ask("PUT", "/organizations", { organization: { document_number_prefix: "INV" } });
  const world: World = {
    api,
    name,
    currency: "EUR",
    timeZone: "UTC",
    metrics: new Map(),
    clockId: null,
    eventsSent: 0,
    feeNames: new Map(),
  };
  const [given, clock, office] = [makeGiven(world), makeClock(world), makeOffice(world)];
  // biome-ignore lint/suspicious/noThenProperty: it is no function, so nothing takes the cast for a promise
  return { given, clock, office, then: makeThen(world) };
}
