/** A person with a password, made and signed in through HTTP. */
import type { FastifyInstance } from "fastify";
import type { Platform } from "../main/compose.ts";
import { issueLink } from "../modules/accounts/index.ts";
import { type Browser, openBrowser } from "./open-browser.ts";

export const PASSWORD = "notches in hazel wood";

type Service = { app: FastifyInstance; platform: Platform };
export type Person = { email: string; browser: Browser; organizationId: string };

let made = 0;

/** An owner of the organization. */
export async function setUpOwner({ app, platform }: Service, organizationId: string, email?: string): Promise<Person> {
  made++;
  const { dispatcherDb, clock } = platform;
  const link = await issueLink(dispatcherDb, { kind: "setup", organizationId }, clock.now());
  const person = { email: email ?? `person${made}@example.com`, name: "Person", password: PASSWORD };
  const browser = openBrowser(app);
  const { status, body } = await browser.send("POST", "/session/setup", { token: link.token, ...person });
  if (status !== 200) throw new Error(`the owner was not made: ${JSON.stringify(body)}`);
  return { email: person.email, browser, organizationId };
}
