export { documentErrors, filePage, findSecret, issueDocument, withFileUrls } from "./documents/index.ts";
export { createFormats, documentJobs, documentMessages, downloadRoutes, feeLine, wordsOf } from "./downloads/index.ts";
export { askForLogo, logoJobs } from "./logos/index.ts";
export { countWaitingMails, mailErrors, mailRoutes, queueMails, sendNextMail } from "./mails/index.ts";
export { noteForOwners, type OwnersOf, writeNextNotice } from "./notices/index.ts";
