/** In which form an OpenAPI document is asked for. */
import { parseAccept } from '../negotiation/accept-header.ts';

export type DocumentForm = 'json' | 'protobuf';

/** @returns media type of the binary form, as it is answered */
export function protobufMediaType(version: 'v2' | 'v3'): string {
  return `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
}

/**
 * @param accept header of the request, undefined for none
 * @returns undefined when the document has no such form
 */
export function acceptedForm(accept: string | undefined, version: 'v2' | 'v3'): DocumentForm | undefined {
  if (accept === undefined || accept === '') return 'json';
  // The older name of the binary form has a character that no media type may have; clients still send it.
  const protobuf = new Set([protobufMediaType(version), protobufMediaType(version).replace(`${version}.`, `${version}@`)]);
  const clauses = parseAccept(accept);
  for (const { type } of clauses) {
    if (type === '*/*' || type === 'application/*' || type === 'application/json' || type === '*/json') return 'json';
    if (protobuf.has(type)) return 'protobuf';
  }
  return undefined;
}
