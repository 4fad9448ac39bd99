/** Reads one document of another server, which is slow if the document is long. */
import { documentHash } from '../discovery/entity-tag.ts';
import { encodeDocument, memberEncoder } from './gnostic/encode.ts';
import { openapiV2 } from './gnostic/openapi-v2.ts';
import { openapiV3 } from './gnostic/openapi-v3.ts';
import { MERGED, MERGED_MESSAGES } from './merged-runs.ts';
import { isAbout, keptSwagger, readSwagger, type SwaggerDocument, swaggerOf, type VersionPaths } from './remote-swagger.ts';
import { upgradedSwagger } from './swagger-upgrade.ts';

export interface ReadingOrder {
  /** the bytes that the server has sent */
  readonly body: Uint8Array;
  /** group versions that the server answers; other paths are dropped */
  readonly versions: readonly VersionPaths[];
  /** digest of the body that was read last; absent: none was */
  readonly digest?: string | undefined;
}

export interface ReadDocument {
  readonly digest: string;
  /** see `RemoteV2`; absent: the body has not changed */
  readonly document?: Uint8Array;
}

/**
 * @throws Error for an invalid document, and for one that cannot be encoded in protobuf, because it is merged into the document for all
 * clients
 */
export function readRemote({ body, versions, digest: last }: ReadingOrder): ReadDocument {
  const digest = documentHash(body);
  if (digest === last) return { digest };
  const document = swaggerOf(readSwagger(body), (path) => versions.some((each) => isAbout(each, path)));
  requireEncodable(document);
  return { digest, document: shared(Buffer.from(JSON.stringify(document))) };
}

/** A copy in memory that other threads can read without another copy. */
function shared(bytes: Buffer): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** @throws Error */
function requireEncodable(document: SwaggerDocument): void {
  const encode = memberEncoder(openapiV2);
  for (const kind of MERGED) for (const [name, value] of Object.entries(document[kind])) encode(MERGED_MESSAGES[kind], name, value);
}

export interface UpgradeOrder {
  /** see `RemoteV2` */
  readonly document: Uint8Array;
  readonly about: VersionPaths;
  readonly form: 'json' | 'protobuf';
}

/** Makes the v3 document of a group version whose server only has a v2 document. */
export async function upgradedRemote({ document, about, form }: UpgradeOrder): Promise<Uint8Array> {
  const upgraded = upgradedSwagger(swaggerOf(keptSwagger(document), (path) => isAbout(about, path)));
  return form === 'json' ? Buffer.from(JSON.stringify(upgraded)) : encodeDocument(openapiV3, 'Document', upgraded);
}
