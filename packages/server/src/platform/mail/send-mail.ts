/** Sends mail by SMTP to the operator's server, over pooled connections, and reports the outcome. */
import type { Readable } from "node:stream";
import { createTransport } from "nodemailer";
import { readSmtpUrl } from "./smtp-url.ts";

export type OutgoingMail = {
  /** The same on every attempt, so that receivers can drop a repeat. */
  messageId: string;
  from: { name: string; address: string };
  replyTo: readonly string[];
  to: readonly string[];
  subject: string;
  text: string;
  html?: string;
  attachment?: { filename: string; content: Buffer; contentType: string };
};

/**
 * Deferred: the server certainly does not have the mail. Refused: it never will. Unknown: it has all of the mail, and its response was
 * lost.
 */
export type MailOutcome =
  | { outcome: "taken"; response: string; refusedRecipients: readonly string[] }
  | { outcome: "deferred" | "refused" | "unknown"; response: string };

export type Mailer = { send: (mail: OutgoingMail) => Promise<MailOutcome>; close: () => void };

export type MailerOptions = { url: string; timeoutMs: number; connectionsMax: number };

const RESPONSE_LENGTH_KEPT = 500;

/** The fields of a nodemailer error. */
type SmtpError = Error & { code?: string; command?: string; response?: string; permanent?: boolean };

export function createMailer({ url, timeoutMs, connectionsMax }: MailerOptions): Mailer {
  const transport = createTransport({
    ...readSmtpUrl(url),
    pool: true,
    maxConnections: connectionsMax,
    // The pool would resend a mail when its connection ends. That decision belongs to the caller.
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
        // A server cannot have accepted a mail before its last byte was sent.
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
  ...(html === undefined ? {} : { html }),
  attachments: attachment ? [{ ...attachment, contentDisposition: "attachment" as const }] : [],
  xMailer: false as const,
  // Suppresses out-of-office replies.
  headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
});

const toAddress = (address: string) => ({ name: "", address });

/** Only a refusal of the recipients or of the mail itself is permanent. All other errors concern this installation and can be fixed. */
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

/** One line that the database can store. */
const readable = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, RESPONSE_LENGTH_KEPT);
