/** Where the service is and with which key: from the environment, or from the file that `tallystick login` writes. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Io } from "./io.ts";
import { UsageError } from "./outcome.ts";
import { readPrivate, replacePrivate } from "./private-file.ts";

export type Profile = { url: string; key: string };

export const DEFAULT_PROFILE = "default";

export function configFile(env: Io["env"], name: string): string {
  const folder = env.XDG_CONFIG_HOME || env.APPDATA || join(env.HOME || homedir(), ".config");
  return join(folder, "tallystick", name);
}

const profileFile = (env: Io["env"]): string => configFile(env, "profiles.json");

/** A profile that is named wins over the environment; without a name, the environment wins. */
export function readProfile({ env }: Pick<Io, "env">, name: string | undefined): Profile {
  const stored = readPrivate<Profile>(profileFile(env))[name ?? DEFAULT_PROFILE];
  if (name !== undefined) {
    if (!stored) throw new UsageError(`There is no profile ${name}. Run "tallystick login --profile ${name}".`);
    return stored;
  }
  const url = env.TALLYSTICK_URL || stored?.url;
  const key = env.TALLYSTICK_API_KEY || stored?.key;
  if (!url || !key)
    throw new UsageError('No service is known. Run "tallystick login", or set TALLYSTICK_URL and TALLYSTICK_API_KEY.');
  return { url, key };
}

export function saveProfile({ env }: Pick<Io, "env">, name: string, profile: Profile): string {
  const file = profileFile(env);
  replacePrivate(file, { ...readPrivate<Profile>(file), [name]: profile });
  return file;
}
