/** What `/ready` says about the key that seals secrets: it is missing, it is another one, or there is none. */
import { findMasterKeys } from "../modules/accounts/index.ts";
import type { Database } from "../platform/postgres/database.ts";
import { isProven, type MasterKeys } from "../platform/secrets/master-keys.ts";
import { PERSONAL_HOLDERS, SECRET_HOLDERS } from "./sealing.ts";

type Deps = { dispatcherDb: Database; masterKeys: MasterKeys | null };

/** Without its database, the service says only that. */
export const findSealedWarnings = (deps: Deps): Promise<string[]> => readSealedWarnings(deps).catch(() => []);

async function readSealedWarnings({ dispatcherDb, masterKeys }: Deps): Promise<string[]> {
  const known = await findMasterKeys(dispatcherDb);
  const isUsable = ({ version, proof }: (typeof known)[number]) =>
    masterKeys !== null && isProven(masterKeys, version, proof);
  const missing = known.filter((key) => key.isUsed && !isUsable(key)).map(({ version }) => version);
  const first = known.find(({ version }) => version === masterKeys?.first);
  const warnings = missing.map(
    (version) =>
      `secrets that are sealed with SECRETS_KEY version ${version} cannot be opened: the webhooks that they sign wait, and codes of authenticator apps are refused: ` +
      `${masterKeys?.byVersion.has(version) ? `version ${version} is another key` : "set that key"}; if it is lost, see ` +
      "docs/guides/backup-and-restore.md",
  );
  if (masterKeys === null && missing.length === 0)
    warnings.push(
      'secrets are not sealed: set SECRETS_KEY (make one with "openssl rand -base64 32") and keep it apart from backups',
    );
  if (first && !first.isUsed && !isUsable(first))
    warnings.push(`SECRETS_KEY version ${first.version} is not the key that this version had: give it a new version`);
  if (masterKeys !== null && (await hasPlain(dispatcherDb)))
    warnings.push("some secrets are not sealed yet: a worker seals them, or run npm run secrets -- seal");
  return warnings;
}

async function hasPlain(dispatcherDb: Database): Promise<boolean> {
  for (const { findPlain } of SECRET_HOLDERS) if ((await findPlain(dispatcherDb)).length > 0) return true;
  for (const { count } of PERSONAL_HOLDERS) if ((await count(dispatcherDb, undefined)).plain > 0) return true;
  return false;
}
