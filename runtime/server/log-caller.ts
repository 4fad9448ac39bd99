/** Where a line of the log comes from. */

export interface Caller {
  /** path or URL of the source file; '' where nobody knows */
  readonly file: string;
  /** from 1 on */
  readonly line: number;
}

const NOBODY: Caller = { file: '', line: 0 };

/**
 * Who has called a function, on whose stack this one is. It takes some microseconds, so that it is asked only for lines that are written, or may be.
 * @param called the function
 */
export function callerOf(called: (...args: never[]) => unknown): Caller {
  const { stackTraceLimit, prepareStackTrace } = Error;
  const holder: { stack?: unknown } = {};
  Error.stackTraceLimit = 1;
  Error.prepareStackTrace = (_, sites) => sites;
  try {
    Error.captureStackTrace(holder, called);
    const [site] = holder.stack as NodeJS.CallSite[];
    return site === undefined ? NOBODY : { file: site.getFileName() ?? '', line: site.getLineNumber() ?? 0 };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  }
}
