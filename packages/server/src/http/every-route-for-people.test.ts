/** The promises of every route, with people who signed in instead of keys. */
// The query makes it another module, which runs again.
const again: string = "./every-route.test.ts?people";
await import(again);

export {};
