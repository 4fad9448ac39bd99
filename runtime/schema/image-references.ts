/**
 * Names of container images, such as `registry.example:5000/team/app:1.2@sha256:…`.
 * @see https://github.com/distribution/reference for the grammar, and for the default registry
 */

/** The part after the name. The tag is `latest` if neither a tag nor a digest is given. */
export interface ImageVersion {
  readonly tag: string;
  /** algorithm and digits, such as `sha256:…`; '' if there is none */
  readonly digest: string;
}

const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const PATH = `${PART}(?:/${PART})*`;
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const REGISTRY = `(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const TAG = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(`^(?:${REGISTRY}/)?(${PATH})(?::(${TAG}))?(?:@(${DIGEST}))?$`);

const KNOWN_DIGEST = /^(sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const BARE_DIGEST = /^[a-f0-9]{64}$/;
const MOST_OF_PATH = 255;
const DEFAULT_REGISTRY = 'docker.io';

/** @returns undefined if the text is no name of an image */
export function imageVersion(reference: string): ImageVersion | undefined {
  if (BARE_DIGEST.test(reference)) return undefined;
  const [all, path = '', tag = '', digest = ''] = REFERENCE.exec(withRegistry(reference)) ?? [];
  if (all === undefined || path.length > MOST_OF_PATH || (digest !== '' && !KNOWN_DIGEST.test(digest))) return undefined;
  return { tag: tag === '' && digest === '' ? 'latest' : tag, digest };
}

/** The part before the first slash is a registry if it looks like a host. */
function withRegistry(reference: string): string {
  const slash = reference.indexOf('/');
  const first = reference.slice(0, Math.max(slash, 0));
  if (slash !== -1 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase())) return reference;
  return `${DEFAULT_REGISTRY}/${slash === -1 ? 'library/' : ''}${reference}`;
}
