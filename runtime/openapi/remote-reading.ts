/** What is made of one document of another server, by itself: much work where it is long. */
import { documentHash } from '../discovery/entity-tag.ts';
import { encodeDocument, memberEncoder } from './gnostic/encode.ts';
import { openapiV2 } from './gnostic/openapi-v2.ts';
import { openapiV3 } from './gnostic/openapi-v3.ts';
import { MERGED, MERGED_MESSAGES } from './merged-runs.ts';
import { isAbout, keptSwagger, readSwagger, type SwaggerDocument, swaggerOf, type VersionPaths } from './remote-swagger.ts';
import { upgradedSwagger } from './swagger-upgrade.ts';

export interface ReadingOrder {
  /** as the server has sent it */
  readonly body: Uint8Array;
  /** group versions that the server answers here: nothing else of it is kept */
  readonly versions: readonly VersionPaths[];
  /** digest of the body that was read last; absent: none was */
  readonly digest?: string | undefined;
}

export interface ReadDocument {
  readonly digest: string;
  /** as of `RemoteV2`; absent: the body is the one that was read last */
  readonly document?: Uint8Array;
}

/** @throws Error for what is no document, and what cannot be put into the binary form: it is merged into one document for all */
export function readRemote({ body, versions, digest: last }: ReadingOrder): ReadDocument {
  const digest = documentHash(body);
  if (digest === last) return { digest };
  const document = swaggerOf(readSwagger(body), (path) => versions.some((each) => isAbout(each, path)));
  requireEncodable(document);
  return { digest, document: shared(Buffer.from(JSON.stringify(document))) };
}

/** In memory that other threads read without a copy of their own. */
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
  /** as of `RemoteV2` */
  readonly document: Uint8Array;
  readonly about: VersionPaths;
  readonly form: 'json' | 'protobuf';
}

/** The v3 document of a group version whose server has none. */
export async function upgradedRemote({ document, about, form }: UpgradeOrder): Promise<Uint8Array> {
  const upgraded = upgradedSwagger(swaggerOf(keptSwagger(document), (path) => isAbout(about, path)));
  return form === 'json' ? Buffer.from(JSON.stringify(upgraded)) : encodeDocument(openapiV3, 'Document', upgraded);
}
