/** Keeps usage in a folder until the service has it, so that it survives the end of the process. For Node. */
export { openSpool, type SpoolOptions } from "./disk-spool.ts";
export { SpoolInUseError } from "./lock.ts";
