// What a rule of the house is: a name, the reason a person is told, and a check over the files of the repository.

export type SourceFile = { readonly path: string; readonly text: string };

export type Violation = { readonly path: string; readonly line: number; readonly found: string };

/** `today` is an ISO date; only the rule on TODOs asks for it. */
export type Rule = {
  readonly name: string;
  readonly reason: string;
  readonly check: (files: readonly SourceFile[], today: string) => Violation[];
};
