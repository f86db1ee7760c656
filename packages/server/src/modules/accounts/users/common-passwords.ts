/**
 * The passwords of at least 12 characters among the 49,233 most used ones of published breaches: those in the dictionary of
 * @zxcvbn-ts/language-common 4.1.3 (MIT), in lower case.
 */
import { readFileSync } from "node:fs";
import { assetPath } from "../../../platform/assets.ts";

export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  readFileSync(assetPath("commonPasswords"), "utf8").trim().split("\n"),
);
