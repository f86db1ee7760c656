/** Seals the secrets of people with the master key itself: data keys belong to organizations, and a person to none. */
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/postgres/database.ts";
import {
  type MasterKeys,
  openWithMaster,
  type PersonalPlace,
  sealWithMaster,
} from "../../../platform/secrets/master-keys.ts";
import { demandKeyOfDatabase } from "./vault.ts";

export type PersonalVault = {
  /** Null without a master key: then nothing is sealed. */
  seal: (place: PersonalPlace, text: string) => Promise<{ version: number; box: Buffer } | null>;
  /** Undefined if the key is missing or is another one, or if the box is not of this place. */
  open: (place: PersonalPlace, sealed: { version: number; box: Buffer }) => string | undefined;
};

type Deps = { masterKeys: MasterKeys | null; dispatcherDb: Database; clock: Clock };

export function createPersonalVault({ masterKeys, ...deps }: Deps): PersonalVault {
  if (masterKeys === null) return { seal: async () => null, open: () => undefined };
  return {
    seal: async (place, text) => {
      await demandKeyOfDatabase({ ...deps, masterKeys });
      return { version: masterKeys.first, box: sealWithMaster(masterKeys, place, Buffer.from(text)) };
    },
    open: (place, { version, box }) => openWithMaster(masterKeys, place, { version, box })?.toString(),
  };
}
