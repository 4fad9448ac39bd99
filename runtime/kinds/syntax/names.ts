/**
 * The forms of names: of objects, of parts of them, of what refers to them. Every function lists what is wrong with a text, in the order and
 * the words of release 1.32; an empty list says that the text is well formed.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
import { formatError, lengthError, whole } from './format-error.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const PERCENT = '[0-9]+%';

const label = whole(LABEL);
const subdomain = whole(SUBDOMAIN);
const configKey = whole(CONFIG_KEY);
const percent = whole(PERCENT);

const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;

/** RFC 1123 subdomain, such as `example.com`; at most 253 bytes. */
export function dnsSubdomainErrors(text: string): string[] {
  const errors: string[] = [];
  if (Buffer.byteLength(text) > MAX_SUBDOMAIN) errors.push(lengthError(MAX_SUBDOMAIN));
  if (!subdomain.test(text)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
      'and must start and end with an alphanumeric character';
    errors.push(formatError(rule, SUBDOMAIN, 'example.com'));
  }
  return errors;
}

/** RFC 1123 label, such as `my-name`; at most 63 bytes. */
export function dnsLabelErrors(text: string): string[] {
  const errors: string[] = [];
  if (Buffer.byteLength(text) > MAX_LABEL) errors.push(lengthError(MAX_LABEL));
  if (!label.test(text)) {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
      'and must start and end with an alphanumeric character';
    errors.push(subdomain.test(text) ? 'must not contain dots' : formatError(rule, LABEL, 'my-name', '123-abc'));
  }
  return errors;
}

/** A text that can stand between two slashes of a URL path. */
export function pathSegmentErrors(text: string): string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%'].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`);
}

/** A key of a ConfigMap, usable as a file name; at most 253 bytes. */
export function configKeyErrors(text: string): string[] {
  const errors: string[] = [];
  if (Buffer.byteLength(text) > MAX_SUBDOMAIN) errors.push(lengthError(MAX_SUBDOMAIN));
  if (!configKey.test(text)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    errors.push(formatError(rule, CONFIG_KEY, 'key.name', 'KEY_NAME', 'key-name'));
  }
  if (text === '.' || text === '..') errors.push(`must not be '${text}'`);
  else if (text.startsWith('..')) errors.push("must not start with '..'");
  return errors;
}

/** A share such as `25%`; no upper bound. */
export function percentErrors(text: string): string[] {
  if (percent.test(text)) return [];
  return [formatError("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, '1%', '93%')];
}
