/**
 * The harness put to the test beside the lives it watches: documents and rows that are wrong on purpose, and models that misread a rule. Each must be
 * distinguished from what is right in some life; which are not yet is kept here.
 */
import { MISREADINGS, type Misreading } from "./model/misreadings.ts";
import { PLANTINGS } from "./planting.ts";
import { PREVIEW_TAMPERINGS, TAMPERINGS } from "./tampering.ts";

export type Watch = {
  readonly misreadings: Set<Misreading>;
  /** By name. */
  readonly tamperings: Set<string>;
  /** Faults in stored rows, by name. */
  readonly plantings: Set<string>;
  readonly onFound: (what: string) => void;
};

export const newWatch = (onFound: Watch["onFound"]): Watch => ({
  misreadings: new Set(Object.keys(MISREADINGS) as Misreading[]),
  tamperings: new Set([...Object.keys(TAMPERINGS), ...Object.keys(PREVIEW_TAMPERINGS)]),
  plantings: new Set(Object.keys(PLANTINGS)),
  onFound,
});

/** What was not distinguished yet. */
export const unnoticed = ({ misreadings, tamperings, plantings }: Watch): string[] => [
  ...misreadings,
  ...tamperings,
  ...plantings,
];

export const isOver = (watch: Watch): boolean => unnoticed(watch).length === 0;
