/** Paths of files and URLs. */
import { NOTHING } from './messages.ts';
import { dnsSubdomain } from './names.ts';

const ABSOLUTE = ['must be an absolute path'];
const RELATIVE = 'must be a relative path';
const BACKSTEPS = "must not contain '..'";

export function absolutePath(value: string): readonly string[] {
  return value.startsWith('/') ? NOTHING : ABSOLUTE;
}

/** Accepts a path without the segment `..`. */
export function pathWithoutBacksteps(value: string): readonly string[] {
  return value.includes('..') && value.split('/').includes('..') ? [BACKSTEPS] : NOTHING;
}

/** Accepts a relative path that does not leave its folder. */
export function relativePath(value: string): readonly string[] {
  const backsteps = pathWithoutBacksteps(value);
  return value.startsWith('/') ? [RELATIVE, ...backsteps] : backsteps;
}

/** Like `relativePath`, but refuses names that begin with two dots: they are reserved for replacing the files of a volume atomically. */
export function unreservedPath(value: string): readonly string[] {
  const reserved = value.startsWith('..') && !value.startsWith('../');
  return reserved ? [...relativePath(value), "must not start with '..'"] : relativePath(value);
}

/** Accepts the path of a URL whose segments are DNS subdomains; it may end with one slash. */
export function subdomainPath(value: string): readonly string[] {
  if (value === '' || value === '/') return NOTHING;
  if (value === '//') return ['segment[0] may not be empty'];
  const messages = value.startsWith('/') ? [] : ["must start with a '/'"];
  for (const [index, segment] of value.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (segment === '') messages.push(`segment[${index}] may not be empty`);
    else for (const message of dnsSubdomain(segment)) messages.push(`segment[${index}]: ${message}`);
  }
  return messages.length === 0 ? NOTHING : messages;
}

/** Accepts the path of a URL that is no resource; with `/*` at its end it means everything below. */
export function nonResourcePath(value: string): readonly string[] {
  const problem = nonResourcePathProblem(value);
  return problem === undefined ? NOTHING : [problem];
}

function nonResourcePathProblem(value: string): string | undefined {
  if (value === '') return 'must not be empty';
  if (!value.startsWith('/')) return 'must start with slash';
  if (value.includes(' ')) return 'must not contain white-space';
  if (value.includes('//')) return 'must not contain double slash';
  const wildcards = value.split('*').length - 1;
  return wildcards > 1 || (wildcards === 1 && !value.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}
