/** Who opens a link is a person who signed in, or becomes one now. */
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { sessionErrors } from "../sessions/index.ts";
import { demandGoodPassword, findUserByEmail, insertUser, type Passwords, readEmail } from "../users/index.ts";

export type NewPerson = { email: string; name: string; password: string };
/** A person with the hash of the password. */
export type ReadyPerson = { email: string; name: string; passwordHash: string };

/** Before the transaction: a hash takes long. */
export async function readyPerson(person: NewPerson, passwords: Passwords): Promise<ReadyPerson> {
  const email = readEmail(person.email);
  const name = person.name.trim();
  demandGoodPassword(person.password, { email, name });
  return { email, name, passwordHash: await passwords.hash(person.password) };
}

/** Returns the id of the new person. One who exists signs in instead: a link proves no right to that account. */
export async function becomeUser(tx: Tx, person: ReadyPerson, now: Temporal.Instant): Promise<string> {
  if (await findUserByEmail(tx, person.email)) throw sessionErrors.problem("sign_in_first");
  const id = newId();
  const { email, name, passwordHash } = person;
  await insertUser(tx, { id, email, name, password_hash: passwordHash, created_at: now });
  return id;
}
