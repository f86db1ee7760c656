/** The outbound connections of the service, as configured: webhooks, downloads, mail. */
import { createMailer } from "../platform/mail/send-mail.ts";
import { createOutboundHttp } from "../platform/outbound-http/outbound-http.ts";
import { type Config, MAIL_OFF, publicUrlOf } from "./config.ts";

export function composeOutside(config: Config) {
  const { outbound, webhooks } = composeWebhooks(config);
  const { mailer, mailRules, mails } = composeMail(config);
  const closeOutside = async (): Promise<void> => {
    mailer?.close();
    await outbound.close();
  };
  return { outbound, webhooks, mailer, mailRules, mails, closeOutside };
}

const composeWebhooks = (config: Config) => ({
  outbound: createOutboundHttp({
    trustedHosts: config.OUTBOUND_TRUSTED_HOSTS,
    timeoutMs: config.WEBHOOK_TIMEOUT_SECONDS * 1000,
  }),
  webhooks: {
    issuer: publicUrlOf(config),
    delays: config.WEBHOOK_RETRY_DELAYS_SECONDS,
    timeoutSeconds: config.WEBHOOK_TIMEOUT_SECONDS,
    attemptsAtOnce: config.WEBHOOK_ATTEMPTS_AT_ONCE,
  },
});

function composeMail(config: Config) {
  const { SMTP_URL: url, MAIL_TIMEOUT_SECONDS: timeoutSeconds, WORKER_CONCURRENCY: connectionsMax } = config;
  const isOn = url !== MAIL_OFF;
  return {
    mailer: isOn ? createMailer({ url, timeoutMs: timeoutSeconds * 1000, connectionsMax }) : undefined,
    mailRules: { isOn, sandboxRecipients: config.MAIL_SANDBOX_RECIPIENTS },
    mails: {
      from: config.MAIL_FROM,
      baseUrl: publicUrlOf(config),
      delays: config.MAIL_RETRY_DELAYS_SECONDS,
      timeoutSeconds,
    },
  };
}
