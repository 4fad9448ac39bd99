/** Describes paths outside of group versions: discovery, the server's version, the keys of service account tokens. */

import { type Content, content, META_PACKAGE, type Operation, type PathItem, type Schema, schemaReference } from '../document.ts';
import { operationNames } from './operation-names.ts';
import { responses } from './operations.ts';
import { pathItem } from './parameters.ts';

export interface ServerPathsInput {
  /** names of API groups; empty for the core group */
  readonly groups: readonly string[];
  /** domain of this server's groups, or its placeholder */
  readonly groupDomain: string;
  /** media types of objects, such as `application/json` */
  readonly mediaTypes: readonly string[];
}

export function serverPaths({ groups, groupDomain, mediaTypes }: ServerPathsInput): Record<string, PathItem> {
  const object = (kind: string) => content(mediaTypes, schemaReference(`${META_PACKAGE}.${kind}`));
  const core = operationNames('', undefined, groupDomain);
  const paths: Record<string, PathItem> = {
    '/api/': get(object('APIVersions'), 'Names the versions of the core group.', core.id('get', 'APIVersions'), core.tag),
    '/apis/': get(object('APIGroupList'), 'Names the groups and their versions.', 'getAPIVersions', 'apis'),
  };
  for (const group of groups.filter((name) => name !== '').sort()) {
    const { id, tag } = operationNames(group, undefined, groupDomain);
    paths[`/apis/${group}/`] = get(object('APIGroup'), 'Names the versions of this group.', id('get', 'APIGroup'), tag);
  }
  return { ...paths, ...OTHERS };
}

function get(answer: Content, description: string, operationId: string, tag: string): PathItem {
  const operation: Operation = { description, operationId, tags: [tag], responses: responses({ 200: answer }) };
  return pathItem({ get: operation });
}

export const VERSION_INFO = 'io.k8s.apimachinery.pkg.version.Info';

const OTHERS: Readonly<Record<string, PathItem>> = {
  '/version/': get(
    content(['application/json'], schemaReference(VERSION_INFO)),
    'Tells the release of the server.',
    'getCodeVersion',
    'version',
  ),
  '/.well-known/openid-configuration/': get(
    content(['application/json'], { type: 'string' }),
    'Tells those who trust service account tokens where the keys are.',
    'getServiceAccountIssuerOpenIDConfiguration',
    'WellKnown',
  ),
  '/openid/v1/jwks/': get(
    content(['application/jwk-set+json'], { type: 'string' }),
    'The public keys of service account tokens, as a JSON Web Key Set.',
    'getServiceAccountIssuerOpenIDKeyset',
    'openid',
  ),
};

const VERSION_MEMBERS: Readonly<Record<string, string>> = {
  major: 'Major number of the release.',
  minor: 'Minor number of the release.',
  gitVersion: 'The release in full.',
  gitCommit: 'Commit that the program was built from.',
  gitTreeState: '`clean`, or `dirty` where the program was built from files that were not committed.',
  buildDate: 'When the program was built.',
  goVersion: 'What the program runs on.',
  compiler: 'What made the program.',
  platform: 'Operating system and processor.',
};

/** The schema of the answer at `/version`, which has no kind. */
export const VERSION_SCHEMA: Schema = {
  description: 'The release of a server.',
  type: 'object',
  required: Object.keys(VERSION_MEMBERS),
  properties: Object.fromEntries(
    Object.entries(VERSION_MEMBERS).map(([name, description]) => [name, { type: 'string', description, default: '' }]),
  ),
};
