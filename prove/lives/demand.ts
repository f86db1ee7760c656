/** Whatever is demanded is true, or the life is broken under the name of the rule. */
import { Broken } from "./session.ts";

export function demand(what: string, isTrue: boolean, about: () => unknown): void {
  if (!isTrue) throw new Broken(what, JSON.stringify(about()));
}
