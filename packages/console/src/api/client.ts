/** The client of the API, with the cookie of the session in place of a key. */
import { Tallystick } from "@tallystick/client";

const clients = new Map<string, Tallystick>();

export function apiOf(organization: string): Tallystick {
  const known = clients.get(organization);
  if (known) return known;
  const client = new Tallystick({
    url: location.origin,
    // The client demands one. It is not sent.
    key: "cookie",
    // Usage has no limit: it is shown, though no invoice can hold it.
    largeNumbers: "bigint",
    // A page that waits for long looks broken: its reader can repeat by hand.
    retries: 1,
    fetch: (input, init) => fetch(input, withCookieOnly(init, organization)),
  });
  clients.set(organization, client);
  return client;
}

function withCookieOnly(init: RequestInit | undefined, organization: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.delete("authorization");
  headers.set("tallystick-organization", organization);
  return { ...init, headers, credentials: "same-origin" };
}
