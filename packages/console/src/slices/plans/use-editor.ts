/** The state of an editor: the draft, what core says about it, and what the service said about the one that was sent. */
import type { BillableMetric, Fault } from "@tallystick/client";
import type { Faults, Members, PlanDefinition } from "@tallystick/core/catalog";
import { useMemo, useState } from "react";
import { type DraftPlan, membersOf } from "./draft.ts";
import { metricsById, readDraft } from "./read-draft.ts";
import { faultText } from "./words.ts";

/** A plan that can be priced, with the draft that it was read from. */
export type Valid = { readonly plan: PlanDefinition; readonly draft: DraftPlan };

type State = { readonly draft: DraftPlan; readonly faults: Faults; readonly valid: Valid | undefined };
type Refused = { readonly faults: readonly Fault[]; readonly body: Members };

export type ErrorAt = (path: string) => string | undefined;

export function useEditor(initial: DraftPlan, metrics: readonly BillableMetric[]) {
  const known = useMemo(() => metricsById(metrics), [metrics]);
  const next = (draft: DraftPlan, before: Valid | undefined): State => {
    const { plan, faults } = readDraft(draft, known);
    return { draft, faults, valid: plan ? { plan, draft } : before };
  };
  const [state, setState] = useState(() => next(initial, undefined));
  const [refused, setRefused] = useState<Refused>();
  const [isSubmitted, setSubmitted] = useState(false);
  const set = (change: DraftPlan | ((draft: DraftPlan) => DraftPlan)) =>
    setState((now) => next(typeof change === "function" ? change(now.draft) : change, now.valid));
  const errorAt: ErrorAt = (path) => {
    const code = state.faults[path]?.find((one) => isSubmitted || one !== "value_is_mandatory");
    if (code !== undefined) return isSubmitted || code !== "relation_must_exist" ? faultText(code) : undefined;
    return refused && refusalAt(refused, membersOf(state.draft), path);
  };
  /** The errors below a path, by the rest of theirs. */
  const errorsIn = (prefix: string): Readonly<Record<string, string>> => {
    const paths = [
      ...Object.keys(state.faults),
      ...(refused?.faults ?? []).map(({ path }) => path.slice("plan.".length)),
    ];
    const below = paths.filter((path) => path.startsWith(prefix));
    return Object.fromEntries(
      below.flatMap((path) => {
        const error = errorAt(path);
        return error === undefined ? [] : [[path.slice(prefix.length), error]];
      }),
    );
  };
  return { ...state, set, errorsIn, errorAt, isSubmitted, submit: () => setSubmitted(true), setRefused };
}

/** A refusal is about what was sent: once that is changed, it is answered. */
function refusalAt({ faults, body }: Refused, now: Members, path: string): string | undefined {
  const fault = faults.find((one) => one.path === `plan.${path}`);
  if (!fault || JSON.stringify(memberAt(body, path)) !== JSON.stringify(memberAt(now, path))) return undefined;
  return fault.message;
}

/** `charges[1].properties` of the members. */
function memberAt(members: unknown, path: string): unknown {
  const names = path.split(/[.[\]]+/).filter(Boolean);
  return names.reduce((value, name) => (value as Members | undefined)?.[name], members);
}
