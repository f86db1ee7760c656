export { post } from "./post.ts";
