/** Makes the methods of all resources from their generated lines. */
import { METHODS, type Resources } from "./generated/resources.ts";
import type { Http, RequestOptions } from "./http.ts";

type Method = (...given: unknown[]) => unknown;

/** The generated interfaces describe what is made here. */
export const resourcesOf = (http: Http): Resources =>
  mapMembers(METHODS, (methods) => mapMembers(methods, (line: string) => methodOf(http, line))) as unknown as Resources;

const mapMembers = <Value, Result>(members: Readonly<Record<string, Value>>, convert: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, convert(value)]));

/** The arguments of a method: the ids of its path, the body, the query, the options. */
function methodOf(http: Http, line: string): Method {
  const [verb, path = "", answer = "", member, hasQuery] = line.split(" ");
  const operation = `${verb} ${path}`;
  const name = answer.replace("[]", "") || path.slice(path.lastIndexOf("/") + 1);
  return (...given) => {
    const ids = given.splice(0, path.split("{").length - 1) as string[];
    const content = member ? (given.shift() ?? {}) : undefined;
    const query = hasQuery ? (given.shift() as object | undefined) : undefined;
    const [options] = given as [RequestOptions?];
    const body = member && member !== "*" ? { [member === "=" ? name : member]: content } : content;
    const request = { ...options, body, query };
    return answer.endsWith("]") ? http.list(operation, ids, name, request) : http.one(operation, ids, name, request);
  };
}
