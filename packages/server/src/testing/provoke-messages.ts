/** Triggers every webhook message through the API, with the scenes of `tallystick trigger`. */
import { type Recomputation, type RecomputationInput, recomputeInvoice } from "@tallystick/second-opinion";
import { type Must, playScenes } from "../../../cli/src/trigger/scenes.ts";
import type { Call } from "./call-api.ts";

export type Provoking = {
  call: Call;
  drain: () => Promise<void>;
  /** Advances real time by an hour and runs hourly jobs. */
  passHour: () => Promise<void>;
  recomputations: Recomputations;
};

export type Recomputations = ReturnType<typeof createRecomputations>;

/** Second opinions that agree until a test makes them differ. */
export function createRecomputations() {
  let isRight = true;
  const give = (one: RecomputationInput): Recomputation => {
    const recomputation = recomputeInvoice(one);
    return isRight ? recomputation : { ...recomputation, total: String(BigInt(recomputation.total ?? "0") - 1n) };
  };
  const differDuring = async (work: () => Promise<unknown>): Promise<void> => {
    isRight = false;
    await work();
    isRight = true;
  };
  return { give, differDuring };
}

export async function provokeMessages({ call, drain, passHour, recomputations }: Provoking): Promise<void> {
  const must: Must = async (...request) => {
    const { status, body, text } = await call(...request);
    // 202: a document is being created.
    if (status !== 200 && status !== 202) throw new Error(`${request[0]} ${request[1]} is refused: ${text}`);
    return body;
  };
  const stage = { must, settle: drain, name: (base: string) => base };
  await playScenes(stage, ["catalog", "months", "payments", "sale", "credits", "changes", "unknown"]);
  await passHour();
  await drain();
  await recomputations.differDuring(() => playScenes(stage, ["faults"], { isContinued: true }));
}
