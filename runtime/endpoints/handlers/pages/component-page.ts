import type { Context } from 'koa';
import { answerOf } from '../../../connections/client-answer.ts';
import { type AcceptClause, parseAccept } from '../../../negotiation/accept-header.ts';

const TYPE = 'text/plain; charset=utf-8';

/** A page of text for people, who must take it, whatever the method. @param text made for each request */
export function componentPage(text: () => string) {
  return (context: Context): void => {
    const answer = answerOf(context);
    if (parseAccept(context.req.headers.accept ?? '').some(takesText)) return answer.send(200, TYPE, text());
    context.res.setHeader('x-content-type-options', 'nosniff');
    answer.send(406, TYPE, 'media type not acceptable, must be: text/plain\n');
  };
}

function takesText({ type, parameters: { q: _, ...parameters } }: AcceptClause): boolean {
  const [charset, ...others] = Object.entries(parameters);
  if (!/^(?:text|\*)\/(?:plain|\*)$/.test(type) || others.length > 0) return false;
  return charset === undefined || (charset[0] === 'charset' && charset[1].toLowerCase() === 'utf-8');
}
