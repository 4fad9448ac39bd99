/** What others need to check the tokens of service accounts by themselves (OpenID Connect discovery). */
import type { Context } from 'koa';
import { newMethodNotAllowed, newNotAcceptable } from '../../../status/status.ts';
import { sendBytes } from '../../answers/respond.ts';
import type { TokenServer } from '../../resource-server.ts';
import { notFoundPage } from '../resource.ts';

export const CONFIGURATION_PATH = '/.well-known/openid-configuration';
export const KEYS_PATH = '/openid/v1/jwks';

export function issuerDiscovery({ serviceAccounts }: Pick<TokenServer, 'serviceAccounts'>) {
  const handler = (contentType: string, document: 'configuration' | 'keys') => async (context: Context) => {
    const documents = serviceAccounts.documents();
    if (documents === undefined) return notFoundPage(context);
    if (context.method !== 'GET') throw newMethodNotAllowed();
    if (!takes(context.req.headers.accept, contentType)) throw newNotAcceptable([contentType]);
    context.res.setHeader('cache-control', `public, max-age=${documents.maxAge}`);
    return sendBytes(context, 200, contentType, documents[document]);
  };
  return { configuration: handler('application/json', 'configuration'), keys: handler('application/jwk-set+json', 'keys') };
}

/** These two are found by their whole name or by the range of all types alone, as in 1.32. */
function takes(accept: string | undefined, contentType: string): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  const types = accept.split(',').map((range) => range.split(';', 1)[0]?.trim());
  return types.includes('*/*') || types.includes(contentType);
}
