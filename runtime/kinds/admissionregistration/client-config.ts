/** How a webhook is reached: by a URL or through a service; configurations and conversions of custom resources share it. */

import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { subdomainPath } from '../../formats/paths.ts';
import { portNumber } from '../../formats/ports.ts';
import { parseUrl } from '../../formats/url-text.ts';
import { invalidAs } from '../core/findings.ts';
import { NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';

const FORM = '; desired format: https://host[/path]';

/** @param config may be absent, like an empty one */
export function validateClientConfig(config: Struct | undefined, path: string): FieldError[] {
  const { url, service } = config ?? {};
  if ((url === undefined) === (service === undefined)) return [required(path, 'exactly one of url or service is required')];
  return url !== undefined ? urlErrors(url, `${path}.url`) : validateWebhookService(service, `${path}.service`);
}

/** @param path of the url; that of a rule begins at the value */
function urlErrors(text: string, path: string): FieldError[] {
  const url = parseUrl(text);
  if ('error' in url) return [required(path, `url must be a valid URL: ${url.error}${FORM}`)];
  const errors: FieldError[] = [];
  if (url.scheme !== 'https') errors.push(invalid(path, url.scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (url.host === '') errors.push(invalid(path, url.host, `host must be specified${FORM}`));
  if (url.user !== undefined) errors.push(invalid(path, url.user, 'user information is not permitted in the URL'));
  if (url.fragment !== '') errors.push(invalid(path, url.fragment, 'fragments are not permitted in the URL'));
  if (url.query !== '') errors.push(invalid(path, url.query, 'query parameters are not permitted in the URL'));
  return errors;
}

export const webhookUrl = (url: string): readonly FieldError[] => urlErrors(url, '');

export function servicePort(port: number): readonly FieldError[] {
  const problems = portNumber(port);
  return problems.length === 0 ? NONE : [invalid('', port, `port is not valid: ${problems.join(',')}`)];
}

function validateWebhookService({ name, namespace, port, path: urlPath }: Struct, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${path}.name`, 'service name is required'));
  if (!namespace) errors.push(required(`${path}.namespace`, 'service namespace is required'));
  const problems = portNumber(port);
  if (problems.length > 0) errors.push(invalid(`${path}.port`, port ?? 0, `port is not valid: ${problems.join(',')}`));
  return [...errors, ...invalidAs(subdomainPath(urlPath ?? ''), `${path}.path`, urlPath)];
}
