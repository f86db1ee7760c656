export { feeLine } from "./fee-lines.ts";
export { createFormats } from "./formats.ts";
export { type DownloadDeps, documentJobs, makeDocument } from "./make-document.ts";
export { documentMessages } from "./messages.ts";
export { downloadRoutes } from "./routes.ts";
export { fill, wordsOf } from "./words/index.ts";
