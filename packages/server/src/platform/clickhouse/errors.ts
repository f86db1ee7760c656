/** Why a statement failed, as far as its caller must know: there was no response, or the server refused it. */

/** No response: the server cannot be reached, ended, or took too long. The statement may have run all the same. */
export class ClickhouseUnreachable extends Error {
  override readonly name = "ClickhouseUnreachable";
}

/** The server responded that it did not run the statement. */
export class ClickhouseRefused extends Error {
  override readonly name = "ClickhouseRefused";
  /** ClickHouse's number and name of the exception, such as 60 and UNKNOWN_TABLE. */
  readonly code: number;
  readonly type: string;

  constructor(message: string, options: { code: number; type: string; cause: unknown }) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.type = options.type;
  }
}

/** The server is older than what this release is tested on. */
export class ClickhouseUnsupported extends Error {
  override readonly name = "ClickhouseUnsupported";
}
