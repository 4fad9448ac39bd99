/** Finds out which source line has written to the log. */

export interface Caller {
  /** the path or URL of the source file; empty if it is not known */
  readonly file: string;
  /** the number of the line, from 1 on; 0 if it is not known */
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
