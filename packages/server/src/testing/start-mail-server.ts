/** A local mail server that records what it received and answers as the test says. */
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll } from "vitest";

export type TakenMail = { to: string[]; raw: string; parsed: Email };

type Refusal = { code: number; message: string };
/** undefined: the server accepts it. */
export type MailAnswer = () => Promise<Refusal | undefined> | Refusal | undefined;

export type MailServer = {
  url: string;
  /** All emails that were sent completely, whatever the answer. */
  received: TakenMail[];
  /** Answers for a recipient, and for a whole email to that recipient. */
  answers: Record<string, { recipient?: MailAnswer; data?: MailAnswer }>;
  /** Drops connections in the middle of a dialogue. */
  dropConnections: () => void;
};

const toError = (refusal: Refusal | undefined): Error | null =>
  refusal ? Object.assign(new Error(refusal.message), { responseCode: refusal.code }) : null;

export async function startMailServer(): Promise<MailServer> {
  const received: TakenMail[] = [];
  const answers: MailServer["answers"] = {};
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    onRcptTo: ({ address }, _session, done) => {
      void Promise.resolve(answers[address]?.recipient?.()).then((refusal) => done(toError(refusal)));
    },
    onData: async (stream, { envelope }, done) => {
      const raw = await buffer(stream).catch(() => undefined);
      // The connection was dropped.
      if (raw === undefined) return;
      const to = envelope.rcptTo.map(({ address }) => address);
      received.push({ to, raw: raw.toString("latin1"), parsed: await PostalMime.parse(raw) });
      const [first = ""] = to;
      done(toError(await answers[first]?.data?.()));
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const dropConnections = () => {
    for (const { _socket } of server.connections) if (_socket) _socket.destroy();
  };
  afterAll(() => {
    dropConnections();
    server.close();
  });
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, received, answers, dropConnections };
}
