/** Bad inputs, sent by people who signed in instead of keys. */
// The query makes it another module, which runs again.
const again: string = "./bad-inputs.test.ts?people";
await import(again);

export {};
