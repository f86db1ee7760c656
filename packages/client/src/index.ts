/** The client without files: runs wherever there is fetch. `@tallystick/client/spool` keeps usage on disk. */
export * from "./errors.ts";
export type { LargeNumbers } from "./exact-json.ts";
export type { WebhookMessage } from "./generated/messages.ts";
export type * from "./generated/resources.ts";
export type * from "./generated/schemas.ts";
export { type Exchange, etagOf, type RequestOptions, type TallystickOptions } from "./http.ts";
export type { List, Page } from "./list.ts";
export { Tallystick } from "./tallystick.ts";
export type { Place, Spool, UsageBuffer, UsageEvent, UsageFigures, UsageOptions } from "./usage-buffer.ts";
