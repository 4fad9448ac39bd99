/** Documents of what stands outside group versions: discovery, the server's version, the keys of its tokens. */
import type { Identity } from '../contract/identity.ts';
import {
  type Content,
  content,
  META_PACKAGE,
  type OpenapiDocument,
  type Operation,
  referencedSchemas,
  type Schema,
  SECURITY_SCHEMES,
  schemaReference,
} from './document.ts';
import { operationNames } from './operation-names.ts';
import { responses } from './operations.ts';
import { pathItem, type SchemaLookup } from './parameters.ts';

const VERSION_INFO = 'io.k8s.apimachinery.pkg.version.Info';
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

const VERSION_SCHEMA: Schema = {
  description: 'The release of a server.',
  type: 'object',
  required: Object.keys(VERSION_MEMBERS),
  properties: Object.fromEntries(
    Object.entries(VERSION_MEMBERS).map(([name, text]) => [name, { type: 'string', description: text, default: '' }]),
  ),
};

export interface ServerDocumentsInput {
  readonly identity: Identity;
  /** the document of the machinery's kinds, with the dialect's names */
  readonly machinery: OpenapiDocument;
  /** names of the groups that are served; the core group is the empty one */
  readonly groups: readonly string[];
}

/** @returns by path below `/openapi/v3/` */
export function serverDocuments({ identity, machinery, groups }: ServerDocumentsInput): Map<string, OpenapiDocument> {
  const maker = new DocumentMaker(identity, machinery);
  const documents = new Map<string, OpenapiDocument>();
  if (groups.includes('')) documents.set('api', maker.coreGroup());
  documents.set('apis', maker.groups());
  for (const group of groups) if (group !== '') documents.set(`apis/${group}`, maker.group(group));
  documents.set('version', maker.version());
  documents.set('.well-known/openid-configuration', maker.tokenIssuer());
  documents.set('openid/v1/jwks', maker.tokenKeys());
  return documents;
}

class DocumentMaker {
  readonly #identity: Identity;
  readonly #machinery: OpenapiDocument;

  constructor(identity: Identity, machinery: OpenapiDocument) {
    this.#identity = identity;
    this.#machinery = machinery;
  }

  coreGroup(): OpenapiDocument {
    const { tag, id } = operationNames('', undefined, '');
    return this.#discovery('/api/', 'APIVersions', {
      description: 'Names the versions of the core group.',
      operationId: id('get', 'APIVersions'),
      tags: [tag],
    });
  }

  groups(): OpenapiDocument {
    return this.#discovery('/apis/', 'APIGroupList', {
      description: 'Names the groups and their versions.',
      operationId: 'getAPIVersions',
      tags: ['apis'],
    });
  }

  group(name: string): OpenapiDocument {
    const { tag, id } = operationNames(name, undefined, this.#identity.names.groupDomain ?? '');
    return this.#discovery(`/apis/${name}/`, 'APIGroup', {
      description: 'Names the versions of this group.',
      operationId: id('get', 'APIGroup'),
      tags: [tag],
    });
  }

  version(): OpenapiDocument {
    return this.#document('/version/', content(['application/json'], schemaReference(VERSION_INFO)), {
      description: 'Tells the release of the server.',
      operationId: 'getCodeVersion',
      tags: ['version'],
    });
  }

  tokenIssuer(): OpenapiDocument {
    return this.#document('/.well-known/openid-configuration/', content(['application/json'], { type: 'string' }), {
      description: 'Tells those who trust service account tokens where the keys are.',
      operationId: 'getServiceAccountIssuerOpenIDConfiguration',
      tags: ['WellKnown'],
    });
  }

  tokenKeys(): OpenapiDocument {
    return this.#document('/openid/v1/jwks/', content(['application/jwk-set+json'], { type: 'string' }), {
      description: 'The public keys of service account tokens, as a JSON Web Key Set.',
      operationId: 'getServiceAccountIssuerOpenIDKeyset',
      tags: ['openid'],
    });
  }

  #discovery(path: string, kind: string, operation: Omit<Operation, 'responses'>): OpenapiDocument {
    const protobuf = this.#identity.text('application/vnd.${mediaProduct}.protobuf');
    const types = ['application/json', protobuf, ...(this.#identity.yaml ? ['application/yaml'] : [])];
    return this.#document(path, content(types, schemaReference(`${META_PACKAGE}.${kind}`)), operation);
  }

  #document(path: string, answer: Content, operation: Omit<Operation, 'responses'>): OpenapiDocument {
    const paths = { [path]: pathItem({ get: { ...operation, responses: responses({ 200: answer }) } }) };
    const lookup: SchemaLookup = (definition) =>
      definition === VERSION_INFO ? VERSION_SCHEMA : this.#machinery.components.schemas[definition];
    const { openapi, info } = this.#machinery;
    return { openapi, info, paths, components: { schemas: referencedSchemas(paths, lookup), securitySchemes: SECURITY_SCHEMES } };
  }
}
