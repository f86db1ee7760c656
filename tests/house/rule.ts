// A rule of the house: a name, the reason that a violation prints, and a check over the files of the repository.

export type SourceFile = { readonly path: string; readonly text: string };

export type Violation = { readonly path: string; readonly line: number; readonly found: string };

/** `today` is an ISO date, used only by the rule on TODOs. */
export type Rule = {
  readonly name: string;
  readonly reason: string;
  readonly check: (files: readonly SourceFile[], today: string) => Violation[];
};

/** What a rule must catch, and what it must let pass. Each entry is a small repository of its own. */
export type Plant = {
  readonly caught: readonly (readonly SourceFile[])[];
  readonly clean: readonly (readonly SourceFile[])[];
};
