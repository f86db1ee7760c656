/** Where `tallystick listen` goes on, and with which secret it signs: for each profile, in a file that only you can read. */

import type { Io } from "./io.ts";
import { readPrivate, replacePrivate } from "./private-file.ts";
import { configFile } from "./profiles.ts";

export type Listening = { cursor?: string; secret: string };

const fileOf = (env: Io["env"]): string => configFile(env, "listen.json");

export const readListening = ({ env }: Pick<Io, "env">, name: string): Listening | undefined =>
  readPrivate<Listening>(fileOf(env))[name];

export function saveListening({ env }: Pick<Io, "env">, name: string, listening: Listening): void {
  const file = fileOf(env);
  replacePrivate(file, { ...readPrivate<Listening>(file), [name]: listening });
}
