/** The empty list that a streaming list ends with, of which clients make the list that they have been sent. */
import type { ApiObject } from '../../contract/object.ts';
import { encodeProtobuf, wrapEnvelope } from '../../schema/protobuf/codec.ts';
import { loadCborForms } from '../answers/cbor-forms.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { metaVersionOf } from './list-value.ts';

/** @returns in the form of the events, as base64 */
export async function listBlueprint(request: ResourceRequest): Promise<string> {
  const { kind, negotiated, server, registry } = request;
  const metadataOnly = negotiated.transform !== 'none';
  const apiVersion = metadataOnly ? metaVersionOf(request) : kind.apiVersion;
  const name = metadataOnly ? 'PartialObjectMetadataList' : (kind.data.list ?? `${kind.kind}List`);
  // what has no type is nothing but what is said of it, in the order of the names
  const isUntyped = !metadataOnly && !kind.compiled.isGo;
  const untyped = { apiVersion, items: [], kind: name };
  const list: ApiObject = { kind: name, apiVersion, metadata: {}, items: null };
  if (negotiated.encoding === 'cbor') return (await loadCborForms()).cborOf(isUntyped ? untyped : list).toString('base64');
  if (isUntyped) return encoded(untyped);
  if (negotiated.encoding !== 'protobuf') return encoded(list);
  const group = metadataOnly ? server.identity.text('meta.${groupDomain}') : kind.group;
  const version = metadataOnly ? negotiated.transformVersion : kind.version;
  const listKind = await registry.kind(group, version, name);
  return Buffer.from(wrapEnvelope(apiVersion, name, encodeProtobuf(listKind.compiled, list))).toString('base64');
}

const encoded = (list: object): string => Buffer.from(`${JSON.stringify(list)}\n`).toString('base64');
