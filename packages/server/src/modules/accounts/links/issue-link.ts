/** Makes the links that work once. The token is in the fragment of the address, so that no log of a server has it. */
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import { insertLink, type LinkPurpose } from "./store.ts";
import { hashOf, newToken } from "./token.ts";

const LASTS = {
  setup: { hours: 24 },
  password_reset: { minutes: 30 },
  second_factor: { minutes: 5 },
} as const satisfies Record<LinkPurpose["kind"], Temporal.DurationLike>;

const PAGES = { setup: "setup", invitation: "invitation", password_reset: "password-reset" };

export type IssuedLink = { token: string; expiresAt: Temporal.Instant };

export async function issueLink(
  dispatcherDb: Database | Tx,
  purpose: LinkPurpose,
  now: Temporal.Instant,
): Promise<IssuedLink> {
  const token = newToken();
  const expiresAt = now.add(LASTS[purpose.kind]);
  await insertLink(dispatcherDb, { ...purpose, tokenHash: hashOf(token), now, expiresAt });
  return { token, expiresAt };
}

export const linkUrl = (publicUrl: string, page: keyof typeof PAGES, { token }: { token: string }): string =>
  `${publicUrl}/${PAGES[page]}#${token}`;
