/** The forms in which an OpenAPI document can be requested. */
import { parseAccept } from '../negotiation/accept-header.ts';

export type DocumentForm = 'json' | 'protobuf';

/** @returns the media type of the protobuf form, as answers name it */
export function protobufMediaType(version: 'v2' | 'v3'): string {
  return `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
}

/**
 * @param accept header of the request; undefined: there is none
 * @returns undefined if the client accepts no form of the document
 */
export function acceptedForm(accept: string | undefined, version: 'v2' | 'v3'): DocumentForm | undefined {
  if (accept === undefined || accept === '') return 'json';
  // The older name of the protobuf form has a character that media types may not have, but clients still send it.
  const protobuf = new Set([protobufMediaType(version), protobufMediaType(version).replace(`${version}.`, `${version}@`)]);
  const clauses = parseAccept(accept);
  for (const { type } of clauses) {
    if (type === '*/*' || type === 'application/*' || type === 'application/json' || type === '*/json') return 'json';
    if (protobuf.has(type)) return 'protobuf';
  }
  return undefined;
}
