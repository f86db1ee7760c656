/** `npm run trail -- …`: shows where trails end, compares them with what was logged, erases differences, and signs after a lost key. */
import { parseArgs } from "node:util";
import { eraseActivities, findChain, listHeads, listOrganizations, signHeadsAgain } from "../modules/accounts/index.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import { composePlatform, type Platform } from "./compose.ts";
import { readConfig } from "./config.ts";
import { runCommand } from "./run-until-stopped.ts";

const USAGE = `Usage (ORG is the id that "npm run organizations -- list" shows, ID the svc_id of the object):
  npm run trail -- heads                                                 where each trail ends, as the log says every hour
  npm run trail -- compare --organization ORG --sequence N --chain HEX   whether a trail still has what was logged; exit code 1 if not
  npm run trail -- erase   --organization ORG --object customer --id ID  drops the members of an object from all its activities
  npm run trail -- sign    --lost-keys                                   if a master key is lost for good: signs the heads as they are`;

const options = {
  organization: { type: "string", default: "" },
  sequence: { type: "string", default: "" },
  chain: { type: "string", default: "" },
  object: { type: "string", default: "" },
  id: { type: "string", default: "" },
  "lost-keys": { type: "boolean", default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

await runCommand(async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const command = { heads, compare, erase, sign }[positionals[0] ?? ""];
  if (!command) throw new Error(USAGE);
  const platform = composePlatform(readConfig());
  try {
    await command(platform, values);
  } finally {
    await platform.close();
  }
});

async function heads({ dispatcherDb }: Platform): Promise<void> {
  for (const { organization_id, sequence, chain, pruned_sequence } of await listHeads(dispatcherDb))
    console.log(`${organization_id}  ${sequence}  ${chain.toString("hex")}  begins after ${pruned_sequence}`);
}

async function compare({ db }: Platform, { organization, sequence, chain }: Values): Promise<void> {
  if (!/^\d{1,18}$/.test(sequence) || !/^[0-9a-f]{64}$/.test(chain)) throw new Error(USAGE);
  const found = await inOrganization(db, organization, (tx) => findChain(tx, organization, BigInt(sequence)));
  const isSame = found?.toString("hex") === chain;
  if (!isSame) process.exitCode = 1;
  console.log(
    isSame
      ? `the trail has this chain at ${sequence}`
      : found
        ? `the trail has ANOTHER chain at ${sequence}: ${found.toString("hex")}`
        : `the trail has NOTHING at ${sequence}: it was pruned beyond it, or it is shorter than it was`,
  );
}

async function erase(platform: Platform, { organization, object: type, id }: Values): Promise<void> {
  if (type === "" || type === "activity" || id === "") throw new Error(USAGE);
  const known = await listOrganizations(platform.dispatcherDb);
  if (!known.some((one) => one.id === organization))
    throw new Error(`No organization has the id ${organization}. See: npm run organizations -- list`);
  const by = { at: platform.clock.now(), actor: { kind: "command", id: "trail erase" } } as const;
  const count = await eraseActivities(platform, organization, { object: { type, id }, ...by });
  console.log(`erased: the differences of ${count} activities`);
}

async function sign(platform: Platform, values: Values): Promise<void> {
  if (!values["lost-keys"]) throw new Error(USAGE);
  if (platform.masterKeys === null) throw new Error("SECRETS_KEY is not set: nothing can be signed");
  console.log(`signed: ${await signHeadsAgain(platform, { isLost: true })} heads`);
}
