/** The statuses of refusals: what each means, and what the caller can do. A refusal without a message of its own has these sentences. */

type Status = { readonly phrase: string; readonly meaning: string; readonly whatToDo: string };

export const STATUSES: Readonly<Record<number, Status>> = {
  400: {
    phrase: "Bad Request",
    meaning: "The body is not valid JSON, is nested too deeply, or lacks the member that wraps the payload.",
    whatToDo: "Fix the body.",
  },
  401: {
    phrase: "Unauthorized",
    meaning: "The API key is missing, malformed, unknown, or expired or revoked.",
    whatToDo: "Send `Authorization: Bearer tsk_…` with a key made by `npm run keys -- create`.",
  },
  403: {
    phrase: "Forbidden",
    meaning: "The key lacks the permission, or the organization lacks the feature.",
    whatToDo: "Look up the code.",
  },
  404: {
    phrase: "Not Found",
    meaning: "The organization has no such record, or the path does not exist.",
    whatToDo: "Look up the code.",
  },
  405: {
    phrase: "Method Not Allowed",
    meaning: "The state of the record does not allow this, or the path does not have this method.",
    whatToDo: "Look up the code. The header `Allow` lists the methods of a path.",
  },
  408: { phrase: "Request Timeout", meaning: "The request did not arrive in time.", whatToDo: "Send it again." },
  410: { phrase: "Gone", meaning: "What was requested existed, and was deleted.", whatToDo: "Look up the code." },
  412: {
    phrase: "Precondition Failed",
    meaning: "The record changed after you read it.",
    whatToDo: "Read it again, and send the change with its new `ETag`.",
  },
  413: {
    phrase: "Payload Too Large",
    meaning: "The body is larger than 1 MB (1,048,576 bytes).",
    whatToDo: "Send less in one request. `POST /api/v1/events/batch` takes up to 100 events; send several batches.",
  },
  414: { phrase: "URI Too Long", meaning: "The URL is longer than 8 KB.", whatToDo: "Shorten it." },
  415: {
    phrase: "Unsupported Media Type",
    meaning: "The body is not declared as JSON.",
    whatToDo: "Send the header `Content-Type: application/json`.",
  },
  422: {
    phrase: "Unprocessable Entity",
    meaning: "A member of the request is wrong.",
    whatToDo: "`errors` names each member by its path and says what to do.",
  },
  429: {
    phrase: "Too Many Requests",
    meaning: "Too many requests a second with this key.",
    whatToDo: "Wait for `Retry-After` seconds and send it again.",
  },
  431: {
    phrase: "Request Header Fields Too Large",
    meaning: "The headers are too large.",
    whatToDo: "Send fewer headers.",
  },
  500: {
    phrase: "Internal Server Error",
    meaning: "The service failed. It logged the error with the `request_id` of this answer.",
    whatToDo: "Report it with that id.",
  },
  503: {
    phrase: "Service Unavailable",
    meaning: "The database is busy or not reachable.",
    whatToDo: "Wait for `Retry-After` seconds and send the same request again.",
  },
};

export const sentencesOf = (status: number): string => {
  const { meaning, whatToDo } = STATUSES[status] ?? STATUSES[500] ?? { meaning: "", whatToDo: "" };
  return `${meaning} ${whatToDo}`;
};
