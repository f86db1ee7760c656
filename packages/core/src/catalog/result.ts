/** The result of a check of a request: the valid value, or every fault by field, as the API reports them. */
export type Result<Value, Fault> = { ok: true; value: Value } | { ok: false; error: Fault };

/** Path of a member → codes of the API: { "charges[1].properties": ["invalid_amount"] }. */
export type Faults = Readonly<Record<string, readonly string[]>>;

export const ok = <Value>(value: Value): { ok: true; value: Value } => ({ ok: true, value });
export const fail = <Fault>(error: Fault): { ok: false; error: Fault } => ({ ok: false, error });

/** One fault of one field. */
export const fault = (field: string, code: string): { ok: false; error: Faults } => fail({ [field]: [code] });

type Part = Result<unknown, Faults>;
type Values<Parts> = {
  [Name in keyof Parts]: Extract<Parts[Name], { ok: true }> extends { value: infer V } ? V : never;
};

/** The values of all parts under their names, or the faults of all parts together. */
export function combine<Parts extends Record<string, Part>>(parts: Parts): Result<Values<Parts>, Faults> {
  const values = combineList(Object.entries(parts).map(([name, part]) => (part.ok ? ok([name, part.value]) : part)));
  return values.ok ? ok(Object.fromEntries(values.value) as Values<Parts>) : values;
}

/** As many fields as a refusal lists. To collect the faults of thousands would take longer than to compute what was asked for. */
const FAULTY_FIELDS_MAX = 20;

/** The values of all parts in order, or the first faults of all parts together, each code once a field. */
export function combineList<Value>(parts: Iterable<Result<Value, Faults>>): Result<Value[], Faults> {
  const values: Value[] = [];
  const faults = new Map<string, Set<string>>();
  for (const part of parts) {
    if (faults.size >= FAULTY_FIELDS_MAX) break;
    if (part.ok) values.push(part.value);
    else for (const [field, codes] of Object.entries(part.error)) addCodes(faults, field, codes);
  }
  if (faults.size === 0) return ok(values);
  return fail(Object.fromEntries([...faults].map(([field, codes]) => [field, [...codes]])));
}

/** Continues with a value, or passes on its faults. */
export function andThen<Value, Next>(
  result: Result<Value, Faults>,
  next: (value: Value) => Result<Next, Faults>,
): Result<Next, Faults> {
  return result.ok ? next(result.value) : result;
}

/** The result, unless it or one of the other checks has faults: then all faults. */
export function checked<Value>(
  result: Result<Value, Faults>,
  ...checks: readonly Result<unknown, Faults>[]
): Result<Value, Faults> {
  const all = combineList<unknown>([result, ...checks]);
  return all.ok ? result : all;
}

/** A check: the fault of a field unless the condition holds. */
export const holds = (condition: boolean, field: string, code: string): Result<null, Faults> =>
  condition ? ok(null) : fault(field, code);

function addCodes(faults: Map<string, Set<string>>, field: string, codes: readonly string[]): void {
  const known = faults.get(field) ?? new Set();
  for (const code of codes) known.add(code);
  faults.set(field, known);
}
