/**
 * One object of each kind, every field filled, as JSON and in the binary form of the reference: reading the one gives the other. A few stand
 * in `fixtures/`; a larger collection is found through ROUNDTRIP_DIR, by default beside the checkout.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../generated/identity.ts';
import { groupVersions } from '../../generated/routes.ts';
import { createIdentity } from '../../runtime/contract/identity.ts';
import type { KindData } from '../../runtime/contract/kind.ts';
import { watchEventMessage } from '../../runtime/endpoints/watches/watch-event-encoder.ts';
import { type CompiledStruct, compileType, decode } from '../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { decodeProtobuf, encodeProtobuf, unwrapEnvelope, wrapEnvelope } from '../../runtime/schema/protobuf/codec.ts';

const roundtrip = suite('roundtrip');
const identity = createIdentity(identityData, 'kubernetes');
const fixtures = path.join(import.meta.dirname, 'fixtures');
const collection = process.env.ROUNDTRIP_DIR ?? path.join(import.meta.dirname, '../../../shared/roundtrip');

async function typeOf(file: string): Promise<CompiledStruct | undefined> {
  const [, group, version, kind] = /^(.+)\.(v\d\w*)\.(\w+)\.json$/.exec(file) ?? [];
  const found = await kindOf(group === 'core' ? '' : (group as string), version as string, kind as string);
  const data = found ?? (await sharedKind(kind as string));
  return data === undefined ? undefined : compileType(data.type, identity);
}

async function kindOf(group: string, version: string, kind: string): Promise<KindData | undefined> {
  const data = groupVersions.find((one) => identity.text(one.group) === identity.text(group) && one.version === version);
  return data === undefined ? undefined : (await data.load()).kinds[kind];
}

/** Kinds such as Status, which every group version has. */
async function sharedKind(kind: string): Promise<KindData | undefined> {
  const { kinds } = await import('../../generated/meta/v1/kinds.ts');
  return kinds[kind];
}

function compare(folder: string, file: string, type: CompiledStruct): void {
  const text = readFileSync(path.join(folder, file), 'utf8');
  const bytes = readFileSync(path.join(folder, file.replace(/json$/, 'pb')));
  const json = parseJson(text).value as { kind: string; apiVersion: string };
  const { object, unknownFields } = decode(type, json, { defaults: false });
  assert.equal(unknownFields, []);
  assert.equal(JSON.parse(JSON.stringify(object)), json);

  const written = wrapEnvelope(json.apiVersion, json.kind, encodeProtobuf(type, object));
  assert.is(written.toString('hex'), bytes.toString('hex'));

  const envelope = unwrapEnvelope(bytes);
  assert.is(envelope.kind, json.kind);
  assert.is(envelope.apiVersion, json.apiVersion);
  const read = { kind: json.kind, apiVersion: json.apiVersion, ...decodeProtobuf(type, envelope.raw) };
  assert.is(JSON.stringify(read), JSON.stringify(object));
}

/** Events are no kind: they name none, and servers only write them. */
function compareEvent(file: string): void {
  const { type, object } = JSON.parse(readFileSync(path.join(collection, file), 'utf8'));
  const bytes = readFileSync(path.join(collection, file.replace(/json$/, 'pb')));
  const written = wrapEnvelope('', '', watchEventMessage(type, Buffer.from(JSON.stringify(object))));
  assert.is(written.toString('hex'), bytes.toString('hex'));
}

for (const file of readdirSync(fixtures).filter((name) => name.endsWith('.json'))) {
  roundtrip(file, async () => {
    const type = await typeOf(file);
    assert.ok(type !== undefined, `${file} has no descriptors`);
    compare(fixtures, file, type as CompiledStruct);
  });
}

if (!existsSync(collection)) console.log(`SKIPPED: no collection of objects at ${collection}`);
else {
  const files = readdirSync(collection).filter((name) => name.endsWith('.json'));
  for (const file of files) {
    const type = await typeOf(file);
    if (file.endsWith('.WatchEvent.json')) roundtrip(`collection: ${file}`, () => compareEvent(file));
    else if (type !== undefined) roundtrip(`collection: ${file}`, () => compare(collection, file, type));
    else console.log(`SKIPPED: ${file}: no schema has this kind`);
  }
}

roundtrip.run();
