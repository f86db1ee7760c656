/** Starts the programs of the service. Each is loaded only when it runs, so that help and version stay fast. */

const PROGRAMS: Readonly<Record<string, () => Promise<unknown>>> = {
  billing: () => import("../../server/src/main/billing.ts"),
  dev: () => import("../../server/src/main/dev.ts"),
  init: () => import("../../server/src/main/init.ts"),
  keys: () => import("../../server/src/main/keys.ts"),
  migrate: () => import("../../server/src/main/migrate.ts"),
  organizations: () => import("../../server/src/main/organizations.ts"),
  sandbox: () => import("../../server/src/main/sandbox.ts"),
  secrets: () => import("../../server/src/main/secrets.ts"),
  start: () => import("../../server/src/main/start.ts"),
  trail: () => import("../../server/src/main/trail.ts"),
  usage: () => import("../../server/src/main/usage.ts"),
  users: () => import("../../server/src/main/users.ts"),
  verify: () => import("../../server/src/main/verify.ts"),
};

/** The program reads its arguments from `process.argv`, and sets the exit code itself. */
export async function runOperator(name: string, args: readonly string[]): Promise<void> {
  const load = PROGRAMS[name];
  if (!load) throw new Error(`There is no program ${name}.`);
  process.argv = [...process.argv.slice(0, 2), ...args];
  // Loading the service takes longer than a person waits without a sign.
  if (name === "dev") process.stderr.write("Starting Tallystick: loading the service …\n");
  await load();
}
