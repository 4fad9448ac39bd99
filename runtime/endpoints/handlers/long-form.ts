/** What other threads need of long objects, made here. */

import type { RegistrySnapshot } from '../../registry/resources/registry-snapshot.ts';
import { parseStoredJson } from '../../registry/stored-objects/parse-stored-json.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import { newUnknownResource } from '../../status/status.ts';
import { loadCborForms } from '../answers/cbor-forms.ts';
import { encodeValue } from '../answers/respond.ts';
import { type FormSubject, itemMaker } from '../lists/item-forms.ts';
import { ITEM_LAYOUTS, type ItemLayout } from '../lists/list-layout.ts';
import { metaVersionOf } from '../lists/list-value.ts';
import type { FormOrder, FormPlace } from '../long-form.ts';
import { loadMetaKinds } from '../meta-kinds.ts';
import type { ResourceServer } from '../resource-server.ts';
import { WatchEventEncoder } from '../watches/watch-event-encoder.ts';
import { formOfGroups } from './pages/aggregated-discovery.ts';

/**
 * @param registry what is served at the moment, which may be later than what the other thread has taken for it
 * @throws StatusError NotFound where the resource has gone, and for what the object's form refuses
 */
export async function makeForm(server: ResourceServer, registry: RegistrySnapshot, { place, form, value }: FormOrder): Promise<Buffer> {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  if (typeof form === 'object' && 'layout' in form) return laidOut(server, registry, place, form.layout, bytes);
  if (typeof form === 'object' && 'document' in form) return documentText(bytes, form.document);
  if (typeof form === 'object' && 'groups' in form)
    return Buffer.from(await formOfGroups(server, registry, place, form.groups.pretty, parseNativeJson(bytes.toString('utf8'))));
  const subject = await subjectOf(server, registry, place);
  if (form === 'columns') return Buffer.from(JSON.stringify(subject.kind.hub.table.columnDefinitions));
  if (form === 'converted') return (await subject.store.converted([bytes]))[0] as Buffer;
  if ('event' in form) return WatchEventEncoder.make(subject, form.event, bytes);
  const make = await itemMaker(subject, metaVersionOf(subject), form.item);
  return Buffer.concat(make({ value: bytes }));
}

async function laidOut(
  server: ResourceServer,
  registry: RegistrySnapshot,
  place: FormPlace,
  layout: ItemLayout['name'],
  json: Buffer,
): Promise<Buffer> {
  if (layout !== 'cbor') return ITEM_LAYOUTS[layout].of(json);
  const { cborLayout } = await import('../lists/cbor-list.ts');
  return cborLayout(await subjectOf(server, registry, place)).of(json);
}

function documentText(json: Buffer, form: 'yaml' | 'indented'): Buffer {
  return Buffer.from(encodeValue(parseStoredJson(json) as object, form === 'yaml' ? 'yaml' : 'json', true));
}

async function subjectOf(
  server: ResourceServer,
  registry: RegistrySnapshot,
  { group, version, resource: name, negotiated }: FormPlace,
): Promise<FormSubject> {
  const resource = registry.resource(group, version, name);
  if (resource === undefined) throw newUnknownResource();
  if (negotiated.encoding === 'protobuf') await loadMetaKinds(registry);
  else if (negotiated.encoding === 'cbor') await loadCborForms();
  const kind = await resource.versions.kinds.kind(resource.groupVersion.group, resource.groupVersion.version, resource.data.kind);
  return { server, registry, kind, store: await server.store(resource), negotiated };
}
