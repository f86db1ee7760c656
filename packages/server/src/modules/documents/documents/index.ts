export { documentErrors } from "./errors.ts";
export { filePage } from "./file-page.ts";
export { withFileUrls } from "./file-urls.ts";
export { type DocumentHeader, type Drawn, headerIn, type Party } from "./header.ts";
export { describeDocument, issueDocument } from "./issue-document.ts";
export { createLinks, findSecret } from "./links.ts";
export {
  type DocumentRow,
  type DocumentSubject,
  findDocumentOf,
  findDocuments,
  findFile,
  keepFile,
} from "./store.ts";
