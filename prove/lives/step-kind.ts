/** Something that can happen in a life, and how often among the others. */
import type { Dice } from "./dice.ts";
import type { World } from "./world.ts";

export type StepKind = { readonly weight: number; readonly take: (world: World, dice: Dice) => Promise<void> };
