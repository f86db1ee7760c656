export { issueLink, linkUrl } from "./issue-link.ts";
export { dropLinksOfUser, findLink, forgetLinks, takeLink } from "./store.ts";
export { hashOf, newToken } from "./token.ts";
