export { returnNumber, takeLastOf, takeNumbers } from "./store.ts";
