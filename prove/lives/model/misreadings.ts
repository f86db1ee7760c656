/** Ways to misunderstand the rules. A model that makes one of these mistakes must be distinguished from the service. */
export const MISREADINGS = {
  closedWindow: "an end on the boundary of a period begins another one",
  restartedTrial: "an upgrade restarts the trial",
  hastyDowngrade: "a downgrade takes effect at once",
  driftingAnniversary: "each anniversary counts from the one before",
  movedBoundary: "who moves to another zone moves the end of the open period",
  billedPast: "periods that were over at a backdated start are billed",
} as const;

export type Misreading = keyof typeof MISREADINGS;
