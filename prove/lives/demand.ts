/** Whatever is demanded is true, or the life is broken under the name of the rule. */

/** Something that must be true is not. `what` names the rule, so that a shorter life can be recognized as failing alike. */
export class Broken extends Error {
  readonly what: string;
  constructor(what: string, about: string) {
    super(`${what}: ${about}`);
    this.what = what;
  }
}

export function demand(what: string, isTrue: boolean, about: () => unknown): void {
  if (!isTrue) throw new Broken(what, JSON.stringify(about()));
}
