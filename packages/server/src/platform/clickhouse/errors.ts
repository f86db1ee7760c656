/** Why a statement was not done, as far as its caller must know: nobody answered, or the server said no. */

/** No answer: the server cannot be reached, ended, or took too long. What was sent may have been done all the same. */
export class ClickhouseUnreachable extends Error {
  override readonly name = "ClickhouseUnreachable";
}

/** The server answered that it did not do it. */
export class ClickhouseRefused extends Error {
  override readonly name = "ClickhouseRefused";
  /** ClickHouse's number and name of the exception, as 60 and UNKNOWN_TABLE. */
  readonly code: number;
  readonly type: string;

  constructor(message: string, options: { code: number; type: string; cause: unknown }) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.type = options.type;
  }
}
