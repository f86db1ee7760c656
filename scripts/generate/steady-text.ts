/** Replaces what is new on every run, so that a generated file changes only with the code. */

/** Ids become numbers: the same number for the same id, in order of appearance. */
export function namerOfIds(): (text: string) => string {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `00000000-0000-7000-8000-${String(names.size + 1).padStart(12, "0")}`;
    names.set(id, name);
    return name;
  };
  return (text) =>
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, nameOf)
      .replace(/EXA-[0-9A-F]{4}/g, "EXA-1A2B");
}

/** Keys are new on every run. */
export const withoutSecrets = (text: string): string =>
  text
    .replace(/signature=[\w-]+/g, "signature=…")
    .replace(/(invitation#)[\w-]+/g, "$1…")
    .replace(/whsec_[\w+/=]+/g, "whsec_…")
    .replace(/tsk_\w+/g, "tsk_…")
    .replace(/("key_id":\s*")[^"]+/g, (_, start) => `${start}4fK9xQ2b`)
    .replace(/("secret_last4":\s*")[^"]+/g, "$1aB3=")
    .replace(/LS0tLS1CRUdJTiBQVUJMSUMgS0VZ[\w+/=]+/g, "LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0K…")
    .replace(/("next_cursor": ?")[^"]+/g, "$1eyJwbGFjZSI6…")
    // A drawing is large, and shows a number that is new.
    .replace(
      /"<svg (?:[^"\\]|\\.)*"/g,
      JSON.stringify('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 595 842">…</svg>'),
    )
    // The id of a key is random, and how often it was used depends on how long the examples took.
    .replace(/("kind": ?"key", ?"id": ?")[^"]+/g, "$1aB3cD4eF")
    .replace(/("kind": ?"key_used", ?"count": ?)\d+/g, "$1289");
