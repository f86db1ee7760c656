import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { afterAll, beforeEach, expect, it, test } from "vitest";
import { isPublicAddress } from "./addresses.ts";
import { createOutboundHttp, type Lookup } from "./outbound-http.ts";

/** A connection to this server means that the guard failed. TLS makes no difference, because the connection comes first. */
let reached = 0;
const canary = createTcpServer((socket) => {
  reached++;
  socket.destroy();
});
const canaryPort = await new Promise<number>((resolve) =>
  canary.listen(0, "::", () => resolve((canary.address() as AddressInfo).port)),
);
afterAll(() => void canary.close());
beforeEach(() => {
  reached = 0;
});

/** A name that resolves to some addresses at first, and to others later. */
const names: Record<string, string[][]> = {};
const lookup: Lookup = (host, _options, answer) => {
  const turns = names[host] ?? [];
  const addresses = (turns.length > 1 ? turns.shift() : turns[0]) ?? [];
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  answer(null, found);
};
const ports = ["", "443", String(canaryPort)];
const guarded = createOutboundHttp({ trustedHosts: [], timeoutMs: 2_000, lookup, ports });
const trusting = createOutboundHttp({ trustedHosts: ["127.0.0.1"], timeoutMs: 500 });
afterAll(async () => {
  await guarded.close();
  await trusting.close();
});
/** Port 8443 in a URL is replaced by the port of the canary. */
const post = (url: string, http = guarded) => http.post(url.replace(":8443", `:${canaryPort}`), {}, Buffer.from("{}"));
const reasonOf = (url: string, http = guarded): Promise<string> =>
  post(url, http).then(
    ({ status }) => `answered ${status}`,
    (error: { reason?: string }) => error.reason ?? String(error),
  );

test("an unguarded client reaches the canary", async () => {
  for (const host of ["127.0.0.1", "::1"])
    await new Promise<void>((resolve) =>
      connect(canaryPort, host)
        .once("close", () => resolve())
        .resume(),
    );
  await reasonOf("https://127.0.0.1:8443/", trusting);
  expect(reached).toBe(3);
});

it.each([
  "https://127.0.0.1:8443/",
  "https://127.1:8443/",
  "https://127.000.000.001:8443/",
  "https://2130706433:8443/",
  "https://0x7f000001:8443/",
  "https://0x7f.0.0.1:8443/",
  "https://017700000001:8443/",
  "https://0177.0.0.1:8443/",
  "https://0:8443/",
  "https://0.0.0.0:8443/",
  "https://127.0.0.1.:8443/",
  "https://１２７.０.０.１:8443/",
  "https://①②⑦.⓪.⓪.①:8443/",
  "https://127。0。0。1:8443/",
  "https://[::1]:8443/",
  "https://[::]:8443/",
  "https://[0:0:0:0:0:0:0:1]:8443/",
  "https://[::ffff:127.0.0.1]:8443/",
  "https://[::ffff:7f00:1]:8443/",
  "https://[::127.0.0.1]:8443/",
  "https://[64:ff9b::127.0.0.1]:8443/",
  "https://[2002:7f00:1::]:8443/",
  "https://[fe80::1]:8443/",
  "https://[fd00::1]:8443/",
  "https://8.8.8.8:8443/",
])("an address in place of a name is refused: %s", async (url) => {
  expect(await reasonOf(url)).toBe("address_instead_of_name");
  expect(reached).toBe(0);
});

it.each([
  ["http://public.test/", "https_is_required"],
  ["http://127.0.0.1:8443/", "https_is_required"],
  ["ftp://public.test/", "https_is_required"],
  ["file:///etc/passwd", "https_is_required"],
  ["gopher://127.0.0.1:8443/", "https_is_required"],
  ["https://public.test:22/", "port_is_not_allowed"],
  ["https://public.test:80/", "port_is_not_allowed"],
  ["https://public.test:5432/", "port_is_not_allowed"],
  ["https://me:secret@public.test/", "credentials_in_url"],
  ["https://127.0.0.1@public.test/", "credentials_in_url"],
  ["https://[::1%25lo]:8443/", "url_is_invalid"],
  ["nonsense", "url_is_invalid"],
])("%s is refused: %s", async (url, reason) => {
  names["public.test"] = [["93.184.215.14"]];
  expect(await reasonOf(url)).toBe(reason);
  expect(reached).toBe(0);
});

it.each([
  ["127.0.0.1"],
  ["127.0.0.53"],
  ["0.0.0.0"],
  ["10.0.0.1"],
  ["172.16.0.1"],
  ["172.31.255.255"],
  ["192.168.1.1"],
  ["169.254.169.254"],
  ["100.64.0.1"],
  ["198.18.0.1"],
  ["192.0.2.1"],
  ["224.0.0.1"],
  ["255.255.255.255"],
  ["::1"],
  ["::"],
  ["::ffff:127.0.0.1"],
  ["::ffff:10.0.0.1"],
  ["::127.0.0.1"],
  ["64:ff9b::7f00:1"],
  ["64:ff9b:1::1"],
  ["2002:7f00:1::"],
  ["2001:0:7f00:1::"],
  ["fe80::1"],
  ["fc00::1"],
  ["fd12:3456::1"],
  ["ff02::1"],
  ["100::1"],
  ["2001:db8::1"],
])("a name that resolves to %s is refused, alone or with a public address", async (address) => {
  names["inside.test"] = [[address]];
  names["mixed.test"] = [["93.184.215.14", address]];
  expect(await reasonOf("https://inside.test:8443/")).toBe("address_is_not_public");
  expect(await reasonOf("https://mixed.test:8443/")).toBe("address_is_not_public");
  expect(reached).toBe(0);
});

test("a name that resolves to a public address first and to a private one at connection time is refused", async () => {
  names["rebinding.test"] = [["93.184.215.14"], ["127.0.0.1"]];
  // The first lookup, such as a check of the URL, gets the public address.
  await new Promise<void>((resolve) => lookup("rebinding.test", { all: true }, () => resolve()));
  expect(await reasonOf("https://rebinding.test:8443/")).toBe("address_is_not_public");
  expect(reached).toBe(0);
});

test("a name without an address, or that cannot be resolved, is refused", async () => {
  names["empty.test"] = [[]];
  expect(await reasonOf("https://empty.test:8443/")).toBe("address_is_not_public");
  const failing = createOutboundHttp({
    trustedHosts: [],
    timeoutMs: 2_000,
    ports,
    lookup: (_host, _options, answer) => answer(Object.assign(new Error("no name"), { code: "ENOTFOUND" }), []),
  });
  expect(await reasonOf("https://unknown.test:8443/", failing)).toBe("name_is_unknown");
  await failing.close();
});

it.each([
  ["https://public.test/", undefined],
  ["https://public.test:8443/", undefined],
  ["https://empty.test/", undefined],
  ["https://inside.test/", "address_is_not_public"],
  ["https://mixed.test/", "address_is_not_public"],
  ["http://public.test/", "https_is_required"],
  ["https://127.1/", "address_instead_of_name"],
  ["https://localhost/", "name_is_not_public"],
  ["https://LOCALHOST./", "name_is_not_public"],
  ["https://api.localhost/", "name_is_not_public"],
  ["https://printer/", "name_is_not_public"],
  ["https://printer.local/", "name_is_not_public"],
  ["https://hooks.internal/", "name_is_not_public"],
  ["https://router.home.arpa/", "name_is_not_public"],
  ["https://me:secret@public.test/", "credentials_in_url"],
  ["https://public.test:22/", "port_is_not_allowed"],
  ["nonsense", "url_is_invalid"],
])("the judgement of %s is %s, and a request to it agrees", async (url, refused) => {
  names["public.test"] = [["93.184.215.14"]];
  names["empty.test"] = [[]];
  names["inside.test"] = [["10.0.0.1"]];
  names["mixed.test"] = [["93.184.215.14", "10.0.0.1"]];
  const target = url.replace(":8443", `:${canaryPort}`);
  expect(await guarded.judge(target)).toBe(refused);
  if (refused !== undefined) expect(await reasonOf(url)).toBe(refused);
  expect(reached).toBe(0);
});

test("a name that is unknown, or resolves too slowly, is judged later; a trusted host is not judged", async () => {
  const answers: Lookup[] = [
    (_host, _options, answer) => answer(Object.assign(new Error("no name"), { code: "ENOTFOUND" }), []),
    () => undefined,
  ];
  for (const slow of answers) {
    const http = createOutboundHttp({ trustedHosts: [], timeoutMs: 2_000, lookup: slow });
    expect(await http.judge("https://unknown.test/")).toBeUndefined();
    await http.close();
  }
  for (const url of ["http://127.0.0.1:9/", "https://127.0.0.1/"]) expect(await trusting.judge(url)).toBeUndefined();
  expect(await trusting.judge("http://127.0.0.2/")).toBe("https_is_required");
});

it.each(["93.184.215.14", "8.8.8.8", "1.1.1.1", "2606:4700::1111", "2a00:1450:4001::200e"])("%s is public", (address) =>
  expect(isPublicAddress(address)).toBe(true),
);

it.each(["", "localhost", "1.2.3", "fe80::1%eth0", "::ffff:8.8.8.8"])("%j is not a public address", (address) =>
  expect(isPublicAddress(address)).toBe(false),
);

it.each(["https://127.0.0.1:8443/", "https://inside.test:8443/", "http://public.test/", "https://me:me@public.test/"])(
  "downloads are guarded like webhooks: %s",
  async (url) => {
    names["inside.test"] = [["127.0.0.1"]];
    const fetched = guarded.get(url.replace(":8443", `:${canaryPort}`), {}, 100);
    await expect(fetched).rejects.toThrow(await reasonOf(url));
    expect(reached).toBe(0);
  },
);

test("a redirect is not followed, a long response is truncated, and a hanging one times out", async () => {
  let requested: string[] = [];
  const server = createServer((incoming, answer) => {
    requested.push(incoming.url ?? "");
    if (incoming.url === "/redirect") answer.writeHead(302, { location: "/elsewhere" }).end();
    else if (incoming.url === "/long") answer.end(Buffer.alloc(1024 * 1024, "x"));
    else if (incoming.url === "/reset") incoming.socket.destroy();
    else if (incoming.url === "/elsewhere") answer.end();
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
  const base = `http://127.0.0.1:${port}`;
  const { status, headers } = await post(`${base}/redirect`, trusting);
  expect([status, headers.location, requested]).toEqual([302, "/elsewhere", ["/redirect"]]);
  requested = [];
  expect((await post(`${base}/long`, trusting)).body).toHaveLength(64 * 1024);
  expect((await trusting.get(`${base}/long`, {}, 1024 * 1024)).body).toHaveLength(1024 * 1024);
  await expect(trusting.get(`${base}/long`, {}, 1024 * 1024 - 1)).rejects.toThrow("answer_is_too_large");
  expect((await trusting.get(`${base}/redirect`, {}, 10)).status).toBe(302);
  expect(requested).not.toContain("/elsewhere");
  expect(await reasonOf(`${base}/hang`, trusting)).toBe("timed_out");
  expect(await reasonOf(`${base}/reset`, trusting)).toBe("connection_reset");
  server.closeAllConnections();
  server.close();
  expect(await reasonOf(`${base}/gone`, trusting)).toBe("connection_refused");
});
