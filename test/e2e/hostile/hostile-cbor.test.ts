/** Bodies in CBOR that no client should send: each is answered, none stops the server, and none takes a long turn, for which all others would wait. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeCbor } from '../../../runtime/schema/cbor/encode.ts';
import { Client } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { assertNoTrace, assertRefused, attacksOn } from '../../harness/hostile.ts';
import { startServer } from '../../harness/server.ts';
import { assertShortTurns, REPEATED, TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';

const test = suite('hostile CBOR');
const server = await startServer({ dialect: 'kubernetes', flags: ['--feature-gates=CBORServingAndStorage=true'], preload: TURN_MONITOR });
const client = new Client(server);
const attack = attacksOn(server, test);
test.after(async () => {
  client.close();
  await server.stop();
});

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const THINGS = '/apis/example.com/v1/namespaces/default/things';
test.before(async () => {
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const { status } = await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: anything } }],
    },
  });
  assert.is(status, 201);
  await eventually('the definition is served', async () => (await client.get(THINGS)).status === 200);
  await untilQuiet(server);
});

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const members = (...pairs: readonly (readonly [name: string, value: Buffer])[]): Buffer =>
  Buffer.concat([hex('bf'), ...pairs.flatMap(([name, value]) => [encodeCbor(name), value]), hex('ff')]);
const object = (apiVersion: string, kind: string, name: string, value: Buffer): Buffer =>
  members(['kind', encodeCbor(kind)], ['apiVersion', encodeCbor(apiVersion)], ['metadata', encodeCbor({ name: 'bad' })], [name, value]);
const configMap = (data: Buffer): Buffer => object('v1', 'ConfigMap', 'data', data);
const thing = (spec: Buffer): Buffer => object('example.com/v1', 'Thing', 'spec', members(['a', spec]));
const list = (count: number, item: Buffer): Buffer => Buffer.concat([hex('9f'), ...Array<Buffer>(count).fill(item), hex('ff')]);
const map = (count: number): Buffer => members(...Array.from({ length: count }, (_, i) => [`k${i}`, hex('f6')] as const));
const MILLION = 1_000_000;

/** `refused`: so that it is refused for certain, by a create and by an apply. */
const ROWS: readonly (readonly [name: string, body: Buffer, refused: boolean])[] = [
  ['arrays in each other', Buffer.alloc(3 * MILLION, 0x81), true],
  ['arrays without an end in each other', Buffer.alloc(3 * MILLION, 0x9f), true],
  ['tags of tags', Buffer.alloc(3 * MILLION, 0xc4), true],
  ['maps in each other as keys', Buffer.alloc(3 * MILLION, 0xa1), true],
  ['an array that says that it is endless', thing(hex('9b7fffffffffffffff')), true],
  ['a map that says that it is endless', configMap(hex('bb7fffffffffffffff')), true],
  ['a text that says that it is endless', configMap(hex('a141617b7fffffffffffffff')), true],
  ['bytes that say that they are endless', configMap(hex('a141615bffffffffffffffff')), true],
  [
    'a text of two million pieces',
    configMap(members(['a', Buffer.concat([hex('7f'), Buffer.alloc(2 * MILLION, 0x60), hex('ff')])])),
    false,
  ],
  ['bytes in a million pieces', configMap(members(['a', Buffer.concat([hex('5f'), hex('4161'.repeat(MILLION)), hex('ff')])])), false],
  ['three million empty maps', thing(list(3, list(1000, list(980, hex('a0'))))), false],
  ['two million integers', thing(list(2, list(1000, list(980, hex('01'))))), false],
  ['large integers', thing(list(300, list(1000, hex('1b7fffffffffffffff')))), false],
  ['maps of a thousand names', thing(list(400, map(1000))), false],
  ['an unknown member of a million maps', object('v1', 'ConfigMap', 'other', list(1000, list(1000, hex('a0')))), false],
  ['a name twice, at the end', thing(Buffer.concat([map(1000).subarray(0, -1), encodeCbor('k0'), hex('00ff')])), true],
  ['an array as a name', configMap(hex('a182010200')), true],
  ['no number', configMap(hex('a14161f97e00')), true],
  ['infinity', thing(hex('fa7f800000')), true],
  ['a larger integer', thing(hex('c249010000000000000000')), true],
  ['undefined', thing(hex('f7')), true],
  ['a text that is none', thing(hex('61ff')), true],
  ['a character in two pieces', thing(hex('7f61c361bcff')), true],
  ['bytes that are no text', configMap(hex('a1416141ff')), false],
  ['two objects', Buffer.concat([configMap(hex('a0')), configMap(hex('a0'))]), true],
  ['half of one', configMap(hex('a0')).subarray(0, 20), true],
  ['no kind, and three million maps', members(['a', list(3, list(1000, list(980, hex('a0'))))]), true],
];

for (const [name, body, refused] of ROWS) {
  const path = body.includes('example.com') ? THINGS : CONFIGMAPS;
  for (const [method, url, type] of [
    ['POST', `${path}?dryRun=All`, 'application/cbor'],
    ['PATCH', `${path}/bad?dryRun=All&fieldManager=a`, 'application/apply-patch+cbor'],
  ] as const)
    attack(`${method}: ${name}`, async () => {
      const ask = () => client.request(method, url, { headers: { 'content-type': type }, body });
      const answer = await assertShortTurns(server, ask, REPEATED);
      if (refused || answer.status >= 400) assertRefused(answer);
      else assertNoTrace(answer);
    });
}

test.run();
