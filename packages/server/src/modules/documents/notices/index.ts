export { noteForOwners } from "./note-items.ts";
export { type OwnersOf, writeNextNotice } from "./write-notice.ts";
