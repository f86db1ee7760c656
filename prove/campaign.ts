/** What every campaign takes and gives, so that the command can run any of them. */
export type CampaignOptions = {
  /** How many kills, cases, years: what the campaign counts. */
  count: number;
  /** Undefined: the seed of the run that is continued, or a new one. */
  seed: number | undefined;
  /** Against a deliberately naive variant: the harness must then find something broken. */
  isNaive: boolean;
  /** Where the campaign's progress, and its own database cluster where it needs one, is kept. Undefined: in a temporary folder that goes with the run. */
  dataFolder: string | undefined;
  /** Ends the run early; the same options with the same folder go on from there. */
  signal: AbortSignal;
  say: (line: string) => void;
  /** Where cases are numbered and stand alone: only this one. */
  life?: number;
};

export type Figures = Readonly<Record<string, number>>;

export type Outcome = {
  seed: number;
  /** Of all runs that this campaign was made of. */
  seconds: number;
  /** The version of the database, where there is one. */
  postgres?: string;
  /** How often each invariant was broken: all zero, unless the variant is naive. */
  broken: Readonly<Record<string, number>>;
  figures: Figures;
  /** Where what was tried has names: each, and how often it occurs. */
  named?: Readonly<Record<string, number>>;
};

export type Campaign = {
  summary: string;
  /** What is counted, and how many by default. */
  counts: string;
  countByDefault: number;
  /** What its figures say, in a sentence or two. */
  inWords?: (figures: Figures) => string;
  run: (options: CampaignOptions) => Promise<Outcome>;
};

export const isBroken = ({ broken }: Pick<Outcome, "broken">): boolean =>
  Object.values(broken).some((count) => count > 0);
