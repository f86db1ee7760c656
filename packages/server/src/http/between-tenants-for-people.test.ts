/** What one organization tells another, asked by people who signed in instead of keys. */
// The query makes it another module, which runs again.
const again: string = "./between-tenants.test.ts?people";
await import(again);

export {};
