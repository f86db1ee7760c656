export { isTimeZone } from "./zone.ts";
