import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as d from '../../runtime/contract/descriptor.ts';
import { type GoField, type GoStruct, typeName } from '../../runtime/go-diff/go-type.ts';
import { memberDifference } from '../../runtime/go-diff/member-difference.ts';
import { messageText } from '../../runtime/go-diff/message-text.ts';
import { goStruct } from '../../runtime/go-diff/wire-types.ts';
import { goName } from '../../runtime/schema/text/go-name.ts';
import { loadKind } from '../kinds/kind.ts';

const names = suite('names of Go');
for (const [json, go] of [
  ['name', 'Name'],
  ['restartPolicy', 'RestartPolicy'],
  ['apiVersion', 'APIVersion'],
  ['uid', 'UID'],
  ['fsType', 'FSType'],
  ['tcpSocket', 'TCPSocket'],
  ['hostPID', 'HostPID'],
  ['iscsiInterface', 'ISCSIInterface'],
] as const)
  names(`${json} is ${go}`, () => assert.is(goName(json), go));
names.run();

const inner = d.struct('io.k8s.api.toy.v1.Inner', () => [{ name: 'size', type: d.quantity }]);
const part = d.struct('io.k8s.api.toy.v1.Part', () => [
  { name: 'color', type: d.string, go: { pointer: true } },
  { name: 'seconds', type: d.int64, go: { pointer: true, internal: { pointer: false } } },
]);
const toy = d.struct('io.k8s.api.toy.v1.Toy', () => [
  { name: 'inner', type: inner, go: { inline: true } },
  { name: 'first', type: d.string },
  { name: 'old', type: d.string, go: { internal: { absent: true } } },
  { name: 'loud', type: d.boolean, go: { internal: { in: 'part' } } },
  { name: 'part', type: part, go: { pointer: true } },
  { name: 'modes', type: d.list(d.named('v1.Mode', d.string)), go: { internal: { name: 'AllModes', after: 'first' } } },
  { name: 'room', type: d.named('v1.ResourceList', d.map(d.quantity)) },
  { name: 'port', type: d.intOrString },
]);

const describe = ({ name, type }: GoField): string => `${name} ${typeName(type)}`;
const fieldsOf = (struct: GoStruct): string[] => struct.fields.map(describe);
const fieldOf = (struct: GoStruct, name: string): GoField => struct.fields.find((field) => field.name === name) as GoField;

const test = suite('Go types of the types of the wire');

test('have fields in their order, with what a field says of itself', () => {
  assert.equal(fieldsOf(goStruct(toy)), [
    'Inner toy.Inner',
    'First string',
    'AllModes []toy.Mode',
    'Part *toy.Part',
    'Room toy.ResourceList',
    'Port intstr.IntOrString',
  ]);
});

test('have fields of others before their own', () => {
  const { type, of } = fieldOf(goStruct(toy), 'Part');
  assert.equal(fieldsOf((type as { element: GoStruct }).element), ['Loud bool', 'Color *string', 'Seconds int64']);
  assert.equal(of({ loud: true, part: { color: 'red' } }), { color: 'red', loud: true });
  assert.equal(of({ loud: true }), { loud: true });
  assert.is(of({}), undefined);
});

test('read members of inline structs from what is around them', () => {
  const { type, of } = fieldOf(goStruct(toy), 'Inner');
  const object = { size: '1Gi' };
  assert.is((type as GoStruct).fields[0]?.of(of(object)), '1Gi');
});

test('take null for what is not there', () => assert.is(fieldOf(goStruct(toy), 'AllModes').of({ modes: null }), undefined));

test('show numbers and texts of ports as such', () => {
  const { fields } = fieldOf(goStruct(toy), 'Port').type as GoStruct;
  const members = (value: unknown): unknown[] => fields.map((field) => field.of(value));
  assert.equal(members(80), [0, 80, undefined]);
  assert.equal(members('http'), [1, undefined, 'http']);
});

test('of metadata have the texts of their messages, where a pointer leads to them', async () => {
  const { data } = await loadKind('v1', 'PersistentVolumeClaim');
  const spec = data.type.fields.find(({ name }) => name === 'spec')?.type as d.StructType;
  const claims = d.struct('io.k8s.api.toy.v1.Claims', () => [{ name: 'specs', type: d.list(spec) }]);
  const report = memberDifference(claims, { specs: [] }, { specs: [{ selector: { matchLabels: { a: '1' } } }] }) ?? '';
  assert.match(report, 's"&LabelSelector{MatchLabels:map[string]string{a: 1,},MatchExpressions:[]LabelSelectorRequirement{},}"');
  const selector = goStruct(spec.fields.find(({ name }) => name === 'selector')?.type as d.StructType);
  const matchExpressions = [{ key: 'k', operator: 'In', values: ['x', 'y'] }];
  assert.is(
    messageText(selector, { matchLabels: { b: '1', a: '2' }, matchExpressions }),
    'LabelSelector{MatchLabels:map[string]string{a: 2,b: 1,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
  );
});

test('of pods have the fields of 1.32', async () => {
  const { data } = await loadKind('v1', 'Pod');
  const spec = goStruct(data.type.fields.find(({ name }) => name === 'spec')?.type as d.StructType);
  assert.is(spec.fields.length, 34);
  assert.equal(
    spec.fields.slice(12, 17).map(({ name }) => name),
    ['SecurityContext', 'ImagePullSecrets', 'Hostname', 'Subdomain', 'SetHostnameAsFQDN'],
  );
  const context = (fieldOf(spec, 'SecurityContext').type as { element: GoStruct }).element;
  assert.equal(
    context.fields.slice(0, 6).map(({ name }) => name),
    ['HostNetwork', 'HostPID', 'HostIPC', 'ShareProcessNamespace', 'HostUsers', 'SELinuxOptions'],
  );
});

test.run();
