/**
 * The harness put to the test beside the lives it watches: documents that are wrong on purpose, and models that misread a rule. Each must be
 * told apart from what is right in some life; which are not yet is kept here.
 */
import { MISREADINGS, type Misreading } from "./model/misreadings.ts";
import { TAMPERINGS } from "./tampering.ts";

export type Watch = {
  readonly misreadings: Set<Misreading>;
  /** By name. */
  readonly tamperings: Set<string>;
  readonly onFound: (what: string) => void;
};

export const newWatch = (onFound: Watch["onFound"]): Watch => ({
  misreadings: new Set(Object.keys(MISREADINGS) as Misreading[]),
  tamperings: new Set(Object.keys(TAMPERINGS)),
  onFound,
});

export const isOver = ({ misreadings, tamperings }: Watch): boolean => misreadings.size + tamperings.size === 0;
