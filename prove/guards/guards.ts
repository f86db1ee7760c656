/** Every guard that the campaign takes away. To add one, name a test that fails without it. */
import type { Guard } from "./guard.ts";
import { IN_TURN } from "./in-turn.ts";
import { KEPT } from "./kept.ts";
import { ONCE } from "./once.ts";
import { OUTSIDE } from "./outside.ts";

export const GUARDS: readonly Guard[] = [...ONCE, ...IN_TURN, ...KEPT, ...OUTSIDE];
