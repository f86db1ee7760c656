/** The only way out by mail: SMTP to the operator's server, over connections that are kept. It says what became of a mail. */
import type { Readable } from "node:stream";
import { createTransport } from "nodemailer";
import { readSmtpUrl } from "./smtp-url.ts";

export type OutgoingMail = {
  /** The same on every attempt: receivers drop a repeat by it. */
  messageId: string;
  from: { name: string; address: string };
  replyTo: readonly string[];
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
  attachment: { filename: string; content: Buffer; contentType: string };
};

/** Deferred: the server surely does not have it. Refused: it never will. Unknown: it has all of it, and its answer was lost. */
export type MailOutcome =
  | { outcome: "taken"; response: string; refusedRecipients: readonly string[] }
  | { outcome: "deferred" | "refused" | "unknown"; response: string };

export type Mailer = { send: (mail: OutgoingMail) => Promise<MailOutcome>; close: () => void };

export type MailerOptions = { url: string; timeoutMs: number; connectionsMax: number };

const RESPONSE_LENGTH_KEPT = 500;

/** What nodemailer says of a failure. */
type SmtpError = Error & { code?: string; command?: string; response?: string; permanent?: boolean };

export function createMailer({ url, timeoutMs, connectionsMax }: MailerOptions): Mailer {
  const transport = createTransport({
    ...readSmtpUrl(url),
    pool: true,
    maxConnections: connectionsMax,
    // The pool would send a mail again by itself when its connection ends. Whoever calls decides that.
    maxRequeues: 0,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const messages = new Map<string, Readable>();
  transport.use("stream", (mail, done) => {
    mail.message.processFunc((message: Readable) => {
      messages.set(mail.message.messageId(), message);
      return message;
    });
    done();
  });
  return {
    send: async (mail) => {
      try {
        const { response, rejected } = await transport.sendMail(toMessage(mail));
        return { outcome: "taken", response: readable(response), refusedRecipients: rejected.map(String) };
      } catch (error) {
        // A server cannot have taken a mail before its last byte has left.
        const hasLeft = messages.get(mail.messageId)?.readableEnded ?? false;
        return toFailure(error as SmtpError, hasLeft);
      } finally {
        messages.delete(mail.messageId);
      }
    },
    close: () => transport.close(),
  };
}

const toMessage = ({ messageId, from, replyTo, to, subject, text, html, attachment }: OutgoingMail) => ({
  messageId,
  from,
  to: to.map(toAddress),
  ...(replyTo.length > 0 ? { replyTo: replyTo.map(toAddress) } : {}),
  subject,
  text,
  html,
  attachments: [{ ...attachment, contentDisposition: "attachment" as const }],
  xMailer: false as const,
  // So that nobody's absence answers it.
  headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
});

const toAddress = (address: string) => ({ name: "", address });

/** Only what a server says of the recipients or of the mail is for good: the rest is of this installation, and can be mended. */
function toFailure(error: SmtpError, hasLeft: boolean): MailOutcome {
  const response = readable(error.response ?? error.message);
  const isOfMail = error.command === "RCPT TO" || error.command === "DATA";
  if (error.permanent !== undefined) {
    const isRefused = error.permanent && isOfMail;
    return { outcome: isRefused ? "refused" : "deferred", response };
  }
  if (hasLeft) return { outcome: "unknown", response };
  const isImpossible = error.code === "EMESSAGE" || error.code === "EENVELOPE";
  return { outcome: isImpossible ? "refused" : "deferred", response };
}

/** One line that a database takes. */
const readable = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, RESPONSE_LENGTH_KEPT);
