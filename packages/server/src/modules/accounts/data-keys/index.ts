export { answerBoxOf } from "./answers.ts";
export { dataKeyErrors } from "./errors.ts";
export { createPersonalVault, type PersonalVault } from "./personal.ts";
export { forgetRetiredKeys, rewrapKeys } from "./rewrap.ts";
export { countDataKeys, findMasterKeys, findUnsettledKeys, retireDataKeys } from "./store.ts";
export { createVault, type SecretHolder, type Vault } from "./vault.ts";
