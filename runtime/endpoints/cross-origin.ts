/** Which web pages may use the API in a browser, and what browsers are told of it, as in 1.32 (Fetch Standard, CORS protocol). */
import type { Context, Next } from 'koa';
import { RE2JS } from 're2js';
import { answerOf } from '../connections/client-answer.ts';

const ANSWERED: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};
const NO_CONTENT = 204;

/**
 * Answers what browsers ask beforehand, before anybody is asked who they are.
 * @param patterns regular expressions, one of which an origin must match, such as `^https://shop\.example\.com$`
 * @throws Error for a pattern that is none, or that other hosts could match by adding to the host's name
 */
export function crossOrigin(patterns: readonly string[]) {
  const compiled = patterns.map(compile);
  return async (context: Context, next: Next): Promise<void> => {
    const { origin } = context.req.headers;
    if (origin === undefined || !compiled.some((pattern) => pattern.matcher(origin).find())) return next();
    const response = context.res;
    response.setHeader('access-control-allow-origin', origin);
    for (const [name, value] of Object.entries(ANSWERED)) response.setHeader(name, value);
    if (context.method !== 'OPTIONS') return next();
    answerOf(context).sendEmpty(NO_CONTENT);
  };
}

function compile(pattern: string): RE2JS {
  const pinned = /\^|\/\//.test(pattern) && /\$|:(?!\/\/)/.test(pattern);
  if (!pinned) throw new Error(`${JSON.stringify(pattern)} does not say where the host begins and ends, with ^ or // and with $ or :`);
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new Error(`${JSON.stringify(pattern)} is no regular expression: ${(error as Error).message}`, { cause: error });
  }
}
