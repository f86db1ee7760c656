export { mailErrors } from "./errors.ts";
export { queueMails } from "./queue-mail.ts";
export { mailRoutes } from "./routes.ts";
export { sendNextMail } from "./send-mails.ts";
export { countWaitingMails } from "./store.ts";
