/** What a guard of the product is, for a campaign that takes guards away one by one. */

export type Edit = {
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
};

export type Guard = {
  name: string;
  /** What is wrong without it, in a sentence. */
  protects: string;
  /** What takes it away: one place, or several that only together leave code that runs. */
  edits: readonly Edit[];
  test: NamedTest;
};

/** The name as it stands in the file: `%s` is filled in when it runs. */
export type NamedTest = { file: string; name: string };

const SERVER = "packages/server/src";

export const inServer = (path: string): string => `${SERVER}/${path}`;

export const inMigration = (name: string): string => inServer(`platform/postgres/migrations/${name}/up.sql`);
