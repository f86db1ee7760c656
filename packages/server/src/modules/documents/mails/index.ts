export { mailErrors } from "./errors.ts";
export { addressesIn, inOneLine } from "./letter.ts";
export { queueMails } from "./queue-mail.ts";
export { mailRoutes } from "./routes.ts";
export { sendNextMail } from "./send-mails.ts";
export { countWaitingMails, insertNotice, lastNoticeAt } from "./store.ts";
export { type MailRules, withheld } from "./withhold.ts";
