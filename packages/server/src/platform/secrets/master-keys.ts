/** The master keys of an installation. They seal the data keys of organizations, and a data key seals the secrets. */
import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { openBox, type Place, sealBox } from "./box.ts";

/** Key objects print nothing of their key, wherever they end up. */
export type MasterKeys = {
  /** The version that seals; all open. */
  readonly first: number;
  readonly byVersion: ReadonlyMap<number, KeyObject>;
};

const KEY_BYTES = 32;
const VERSION_MAX = 2_147_483_647;

export const newMasterKey = (): string => randomBytes(KEY_BYTES).toString("base64");

/** `KEY`, or `2:KEY,1:KEY` with the key that seals first. Undefined if the text is something else; it is never repeated in an error. */
export function parseMasterKeys(text: string): MasterKeys | undefined {
  const parts = text.trim().split(",");
  const entries = parts.map((part) => {
    const [, version = parts.length === 1 ? "1" : "", key = ""] =
      /^(?:([1-9]\d{0,9}):)?([A-Za-z0-9+/]{43}=)$/.exec(part) ?? [];
    return [Number(version), Buffer.from(key, "base64")] as const;
  });
  const isFine = entries.every(([version, key]) => version > 0 && version <= VERSION_MAX && key.length === KEY_BYTES);
  const byVersion = new Map(isFine ? entries.map(([version, key]) => [version, createSecretKey(key)] as const) : []);
  const [first] = byVersion.keys();
  return first === undefined || byVersion.size < parts.length ? undefined : { first, byVersion };
}

export type WrappedKey = { organizationId: string; version: number; masterVersion: number; wrapped: Buffer };
type Named = Pick<WrappedKey, "organizationId" | "version">;

export function newDataKey(masterKeys: MasterKeys, named: Named): { wrapped: WrappedKey; key: KeyObject } {
  const bytes = randomBytes(KEY_BYTES);
  return { wrapped: wrap(masterKeys, named, bytes), key: createSecretKey(bytes) };
}

/** Undefined if the master key is not there, or is another one. */
export function unwrapDataKey(masterKeys: MasterKeys, wrapped: WrappedKey): KeyObject | undefined {
  const bytes = bytesOf(masterKeys, wrapped);
  return bytes && createSecretKey(bytes);
}

/** The same data key under the master key that seals. */
export function rewrapDataKey(masterKeys: MasterKeys, wrapped: WrappedKey): WrappedKey | undefined {
  const bytes = bytesOf(masterKeys, wrapped);
  return bytes && wrap(masterKeys, wrapped, bytes);
}

function wrap(masterKeys: MasterKeys, { organizationId, version }: Named, bytes: Buffer): WrappedKey {
  const masterVersion = masterKeys.first;
  const place = placeOf({ organizationId, version, masterVersion });
  return { organizationId, version, masterVersion, wrapped: sealBox(keyOf(masterKeys, masterVersion), place, bytes) };
}

function bytesOf(masterKeys: MasterKeys, wrapped: WrappedKey): Buffer | undefined {
  const key = masterKeys.byVersion.get(wrapped.masterVersion);
  return key && openBox(key, placeOf(wrapped), wrapped.wrapped);
}

const placeOf = ({ organizationId, version, masterVersion }: Omit<WrappedKey, "wrapped">): Place => ({
  table: "data_keys",
  column: "wrapped",
  organizationId,
  row: String(version),
  version: masterVersion,
});

/** Of a secret that belongs to no organization. */
export type PersonalPlace = Pick<Place, "table" | "column" | "row">;

export const sealWithMaster = (masterKeys: MasterKeys, place: PersonalPlace, content: Buffer): Buffer =>
  sealBox(keyOf(masterKeys, masterKeys.first), { ...place, organizationId: "", version: masterKeys.first }, content);

/** Undefined if the key is missing or is another one, or if the box is not of this place. */
export function openWithMaster(
  masterKeys: MasterKeys,
  place: PersonalPlace,
  { version, box }: { version: number; box: Buffer },
): Buffer | undefined {
  const key = masterKeys.byVersion.get(version);
  return key && openBox(key, { ...place, organizationId: "", version }, box);
}

/** An empty box, stored when a master key is first used. Another key of the same version does not open it. */
export const proofOf = (masterKeys: MasterKeys, version: number): Buffer =>
  sealBox(keyOf(masterKeys, version), proofPlace(version), Buffer.alloc(0));

/** False as well if there is no key of this version. */
export function isProven(masterKeys: MasterKeys, version: number, proof: Buffer): boolean {
  const key = masterKeys.byVersion.get(version);
  return key !== undefined && openBox(key, proofPlace(version), proof) !== undefined;
}

const proofPlace = (version: number): Place => ({
  table: "master_keys",
  column: "proof",
  organizationId: "",
  row: String(version),
  version,
});

function keyOf({ byVersion }: MasterKeys, version: number): KeyObject {
  const key = byVersion.get(version);
  if (!key) throw new Error(`there is no master key of version ${version}`);
  return key;
}
