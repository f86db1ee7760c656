/** Every id of the service is made here: UUID v7, so that new rows lie next to each other in an index. */
export { v7 as newId } from "uuid";
