/** What a file of the catalog says about one object. */

export type ChargeDefinition = Members & { billable_metric_code: string; charge_model: string; filters?: Members[] };

export type Members = { [name: string]: unknown };
/** As in a file: without ids, counts, and members that are as by default. */
export type Definition = { code: string; charges?: readonly ChargeDefinition[] } & Members;

/** What is as by default is left out, so that a file has what matters, and an absent member has a meaning. */
export const without = (defaults: Members, members: Members): Members =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(defaults[name] ?? null),
    ),
  );

export const codesOf = (records: readonly { code: string }[]): string[] => records.map(({ code }) => code).sort();

export const pick = (record: Members, names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, record[name]]));
