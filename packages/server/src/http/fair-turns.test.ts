// Requests of an organization wait for each other when there are many, and not those of another one.

import { once } from "node:events";
import { connect } from "node:net";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { inOrganization } from "../platform/postgres/database.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const service = await startTallystick();
const address = await service.app.listen({ port: 0, host: "127.0.0.1" });
afterAll(() => service.app.close());

const [first, second] = service.organizations;
const customer = { external_id: "locked", currency: "EUR" };

test("requests of one organization that wait for a locked customer do not keep another organization waiting, or its own events", async () => {
  await service.call("POST", "/customers", { customer });
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = inOrganization(service.platform.db, first?.id ?? "", async (tx) => {
    await sql`select from customers where external_id = 'locked' for update`.execute(tx);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const waiting = Array.from({ length: 15 }, () => service.call("POST", "/customers", { customer }));
  const answered = await Promise.all(
    Array.from({ length: 15 }, () => service.call("GET", "/taxes", undefined, { key: second?.key ?? "" })),
  );
  expect(answered.map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 200));
  expect((await service.call("POST", "/events", {})).status).toBe(400);
  release.resolve();
  await holder;
  expect((await Promise.all(waiting)).every(({ status }) => status === 200)).toBe(true);
});

test("a body that does not arrive takes no turn", async () => {
  const { port } = new URL(address);
  const head = `POST /api/v1/taxes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${first?.key}\r\nContent-Type: application/json\r\n`;
  const slow = await Promise.all(
    Array.from({ length: 15 }, async () => {
      const socket = connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      socket.write(`${head}Content-Length: 100\r\n\r\n{`);
      return socket;
    }),
  );
  const answers = await Promise.all(Array.from({ length: 5 }, () => service.call("GET", "/taxes")));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  for (const socket of slow) socket.destroy();
});

test("a client that goes away while it waits leaves its turn to the next", async () => {
  const { port } = new URL(address);
  const request = `GET /api/v1/taxes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${first?.key}\r\n\r\n`;
  for (let round = 0; round < 3; round++) {
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(Number(port), "127.0.0.1");
        await once(socket, "connect");
        socket.write(request);
        return socket;
      }),
    );
    for (const socket of sockets) socket.destroy();
  }
  expect((await service.call("GET", "/taxes")).status).toBe(200);
});
