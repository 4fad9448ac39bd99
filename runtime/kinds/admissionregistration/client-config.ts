/** How a webhook is reached by a URL; configurations and conversions of custom resources share it. */
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { parseUrl } from '../../formats/url-text.ts';
import { NONE } from '../../validation/joined.ts';

const FORM = '; desired format: https://host[/path]';

export function webhookUrl(text: string): readonly FieldError[] {
  const url = parseUrl(text);
  if ('error' in url) return [required('', `url must be a valid URL: ${url.error}${FORM}`)];
  const rows: [isWrong: boolean, part: string | undefined, problem: string][] = [
    [url.scheme !== 'https', url.scheme, `'https' is the only allowed URL scheme${FORM}`],
    [url.host === '', url.host, `host must be specified${FORM}`],
    [url.user !== undefined, url.user, 'user information is not permitted in the URL'],
    [url.fragment !== '', url.fragment, 'fragments are not permitted in the URL'],
    [url.query !== '', url.query, 'query parameters are not permitted in the URL'],
  ];
  const found = rows.filter(([isWrong]) => isWrong);
  return found.length === 0 ? NONE : found.map(([, part, problem]) => invalid('', part, problem));
}
