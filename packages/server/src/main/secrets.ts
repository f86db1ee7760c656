/** `npm run secrets -- …`: shows, seals and rotates what seals the secrets of organizations and people. */
import { parseArgs } from "node:util";
import { countDataKeys } from "../modules/accounts/index.ts";
import type { MasterKeys } from "../platform/secrets/master-keys.ts";
import { composePlatform, type Platform } from "./compose.ts";
import { readConfig } from "./config.ts";
import { findUnopened, inProgress, rotateSecrets } from "./rotate-secrets.ts";
import { runCommand } from "./run-until-stopped.ts";
import { PERSONAL_HOLDERS, SECRET_HOLDERS, type SealedCounts, sealAll } from "./sealing.ts";

const USAGE = `Usage (SECRETS_KEY or SECRETS_KEY_FILE has the key):
  npm run secrets -- status               what is sealed, with which key, and what cannot be opened; exit code 1 if there is any
  npm run secrets -- seal                 seals what is not sealed yet, and data keys under an older master key again
  npm run secrets -- rotate               makes new data keys and seals everything again
  npm run secrets -- rotate --lost-keys   the same if a master key is lost for good: makes new signing keys for those that cannot be opened

All can be stopped and run again: they continue.`;

await runCommand(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { "lost-keys": { type: "boolean", default: false } },
  });
  const command = { status, seal, rotate }[positionals[0] ?? ""];
  if (!command) throw new Error(USAGE);
  const platform = composePlatform(readConfig());
  try {
    await command(platform, { isLost: values["lost-keys"] });
  } finally {
    await platform.close();
  }
});

type Options = { isLost: boolean };

async function status(platform: Platform): Promise<void> {
  const { dispatcherDb, masterKeys } = platform;
  const versions = [...(masterKeys?.byVersion.keys() ?? [])];
  console.log(`master keys in SECRETS_KEY: ${versions.length === 0 ? "none" : versions.join(", ")}`);
  for (const { masterVersion, count } of await countDataKeys(dispatcherDb))
    console.log(`data keys under master key ${masterVersion}: ${count}`);
  for (const { name, count } of SECRET_HOLDERS) {
    const { plain, sealed, outdated } = await count(dispatcherDb);
    console.log(`${name}: ${sealed} sealed (${outdated} with a retired data key), ${plain} not sealed`);
  }
  for (const { name, count } of PERSONAL_HOLDERS) {
    const { plain, sealed, outdated } = await count(dispatcherDb, masterKeys?.first);
    console.log(`${name}: ${sealed} sealed (${outdated} with another master key), ${plain} not sealed`);
  }
  const { broken, rows } = await findUnopened(platform);
  for (const row of rows) console.log(`cannot be opened: ${JSON.stringify(row)}`);
  console.log(`cannot be opened: ${broken}`);
  if (broken > 0) process.exitCode = 1;
}

async function seal(platform: Platform): Promise<void> {
  inTotal(await sealAll(platform, demandKeys(platform), { onDone: (counts) => console.error(inProgress(counts)) }));
}

async function rotate(platform: Platform, { isLost }: Options): Promise<void> {
  const masterKeys = demandKeys(platform);
  inTotal(await rotateSecrets({ ...platform, masterKeys }, { isLost, say: (line) => console.error(line) }));
}

function demandKeys({ masterKeys }: Platform): MasterKeys {
  if (masterKeys === null) throw new Error("SECRETS_KEY is not set: nothing can be sealed");
  return masterKeys;
}

function inTotal({ rows, dataKeys }: SealedCounts): void {
  console.log(`sealed: ${rows} secrets, ${dataKeys} data keys again under the first master key`);
}
