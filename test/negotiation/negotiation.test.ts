import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../generated/identity.ts';
import { createIdentity, type Dialect } from '../../runtime/contract/identity.ts';
import { Negotiator, type Offer } from '../../runtime/negotiation/negotiation.ts';
import { StatusError } from '../../runtime/status/status.ts';
import { longText, usedHeap } from '../harness/heap.ts';

const test = suite('negotiation');
const negotiator = (dialect: Dialect): Negotiator => new Negotiator(createIdentity(identityData, dialect));

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const rows: { name: string; accept: string | undefined; want: string }[] = [
  { name: 'none is JSON', accept: undefined, want: 'json none' },
  { name: 'anything is JSON', accept: '*/*', want: 'json none' },
  { name: 'the first that is known', accept: 'text/html, application/yaml, application/json', want: 'yaml none' },
  { name: 'the highest quality', accept: 'application/json;q=0.1, application/vnd.kubernetes.protobuf;q=0.9', want: 'protobuf none' },
  { name: 'parameters that mean nothing here', accept: 'application/json;charset=utf-8', want: 'json none' },
  { name: 'a Table', accept: `${TABLE}, application/json`, want: 'json Table' },
  {
    name: 'a transform that is not known falls back',
    accept: 'application/json;as=Chair;v=v1;g=meta.k8s.io, application/json',
    want: 'json none',
  },
  { name: 'an unknown type is refused', accept: 'image/png', want: '406: Not Acceptable' },
  { name: 'what is named comes before what is not, whatever its weight', accept: '*/*, application/yaml;q=0.1', want: 'yaml none' },
  { name: 'half a wildcard is something, beside a type', accept: 'application/*, application/json;as=Chair', want: 'json none' },
  { name: 'a weight that is no number is none', accept: 'application/yaml;q=x, application/json;q=0.1', want: 'json none' },
  { name: 'a transform of anything', accept: '*/*;as=Table;v=v1;g=meta.k8s.io', want: 'json Table' },
  { name: 'the schema of a stream that is known', accept: 'application/json;stream=watch', want: 'json none' },
  { name: 'the schema of a stream that is not known is refused', accept: 'application/json;stream=river', want: 'only the following' },
  { name: 'another version of the server is refused', accept: 'application/json;sv=v2', want: 'only the following' },
  { name: 'a version without a kind is refused', accept: 'application/json;v=v1', want: 'only the following' },
  { name: 'an asterisk alone is no type', accept: '*', want: '406: Not Acceptable' },
  { name: 'an asterisk alone is anything beside a type', accept: '*, application/json;as=Chair', want: 'json none' },
  { name: 'a tab is a part of a type', accept: 'application/json\t;q=1', want: '406: Not Acceptable' },
  { name: 'spaces stand beside a slash only behind a type', accept: 'application / json', want: '406: Not Acceptable' },
  { name: 'half a wildcard is refused', accept: 'application/*', want: '406: Not Acceptable' },
  { name: 'case counts', accept: 'APPLICATION/JSON', want: '406: Not Acceptable' },
  { name: 'an unknown transform alone is refused', accept: 'application/json;as=Table;v=v9;g=meta.k8s.io', want: 'only the following' },
];

for (const { name, accept, want } of rows) {
  test(name, () => {
    for (let again = 0; again < 2; again++) {
      let seen: string;
      try {
        const { encoding, transform } = negotiator('kubernetes').negotiate(accept, false);
        seen = `${encoding} ${transform}`;
      } catch (error) {
        assert.instance(error, StatusError);
        assert.is((error as StatusError).code, 406);
        seen = (error as StatusError).message;
      }
      assert.ok(seen.startsWith(want), seen);
    }
  });
}

test('custom objects are negotiated at once: one message for all that they cannot be had in, and half a wildcard is JSON', () => {
  const negotiate = (accept: string, offer: 'custom' | 'customNoTables') => negotiator('kubernetes').negotiate(accept, true, offer);
  const message = 'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
  for (const offer of ['custom', 'customNoTables'] as const) {
    for (const accept of ['application/*', '*', '*/', 'application / json', 'application/json/'])
      assert.is(negotiate(accept, offer).encoding, 'json', accept);
    for (const accept of ['text/html', 'application/vnd.kubernetes.protobuf', 'APPLICATION/JSON', 'application/json\t', 'a/json/c'])
      assert.throws(
        () => negotiate(accept, offer),
        (error: Error) => error.message === message,
      );
  }
});

const ERROR_FORMS: { accept: string; want: string; pretty?: boolean }[] = [
  { accept: 'application/vnd.kubernetes.protobuf', want: 'protobuf' },
  {
    accept: 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io, application/json;as=Table',
    want: 'json',
    pretty: true,
  },
  { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io, application/yaml', want: 'yaml' },
  { accept: 'application/json;stream=watch', want: 'json' },
  { accept: 'application/yaml;sv=v1, application/json', want: 'json' },
  { accept: '*', want: 'json' },
  { accept: 'image/png', want: 'json', pretty: true },
  { accept: 'application/json\t', want: 'json', pretty: true },
  { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', want: 'json', pretty: true },
  { accept: 'application/json;stream=all', want: 'json', pretty: true },
];
for (const { accept, want, pretty = false } of ERROR_FORMS)
  test(`an error for ${accept}`, () => {
    const found = negotiator('kubernetes').forErrors(accept, true);
    assert.equal([found.encoding, found.pretty], [want, pretty]);
  });

const CBOR_ROWS: { name: string; accept: string; offer?: Offer; want: string }[] = [
  { name: 'by its name', accept: 'application/cbor', want: 'cbor none' },
  { name: 'the highest quality', accept: 'application/json;q=0.9, application/cbor', want: 'cbor none' },
  { name: 'anything is JSON', accept: '*/*', want: 'json none' },
  { name: 'metadata', accept: 'application/cbor;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', want: 'cbor PartialObjectMetadata' },
  { name: 'no Table', accept: 'application/cbor;as=Table;v=v1;g=meta.k8s.io', want: 'only the following' },
  { name: 'a Table of something else', accept: `application/cbor;as=Table;v=v1;g=meta.k8s.io, ${TABLE}`, want: 'json Table' },
  { name: 'no sequence is asked for', accept: 'application/cbor-seq', want: '406: Not Acceptable' },
  { name: 'of a custom object', accept: 'application/cbor', offer: 'custom', want: 'cbor none' },
  { name: 'resources', accept: 'application/cbor', offer: 'resources', want: 'cbor none' },
  { name: 'no groups', accept: 'application/cbor, application/json', offer: 'root', want: 'json none' },
  { name: 'no versions of a group', accept: 'application/cbor', offer: 'itself', want: '406: Not Acceptable' },
];
for (const { name, accept, offer, want } of CBOR_ROWS)
  test(`CBOR: ${name}`, () => {
    let seen: string;
    try {
      const { encoding, transform } = speaking.negotiate(accept, true, offer);
      seen = `${encoding} ${transform}`;
    } catch (error) {
      seen = (error as StatusError).message;
    }
    assert.ok(seen.startsWith(want), seen);
  });
const speaking = new Negotiator(createIdentity(identityData, 'kubernetes'), { cbor: true });

test('CBOR is told of where it is spoken', () => {
  const plain = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
  const streams = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
  assert.equal(speaking.available(true), [...plain, 'application/cbor', ...streams, 'application/cbor-seq']);
  assert.equal(speaking.available(false, 'root'), plain);
  assert.equal(negotiator('kubernetes').available(true), [...plain, ...streams]);
  assert.is(speaking.encodingOf('Application/CBOR; a=b'), 'cbor');
  assert.is(negotiator('kubernetes').encodingOf('application/cbor'), undefined);
  const negotiated = speaking.negotiate('application/cbor', true);
  assert.equal([speaking.contentType(negotiated), speaking.streamContentType(negotiated)], ['application/cbor', 'application/cbor-seq']);
  assert.is(speaking.forErrors('application/cbor', true).encoding, 'cbor');
  assert.is(speaking.forErrors('application/cbor, application/yaml', false).encoding, 'yaml');
});

test('the dialect cluster has no YAML', () => {
  assert.throws(() => negotiator('cluster').negotiate('application/yaml', false), /Not Acceptable/);
  assert.is(negotiator('cluster').negotiate('application/yaml, application/json', false).encoding, 'json');
  assert.is(negotiator('cluster').encodingOf('application/yaml'), undefined);
  assert.is(negotiator('cluster').encodingOf('application/vnd.cluster.protobuf'), 'protobuf');
});

const contentTypes: { header: string; want: string | undefined }[] = [
  { header: '', want: 'json' },
  { header: 'Application/JSON; charset=utf-8', want: 'json' },
  { header: 'application/json; charset', want: undefined },
  { header: 'application/json, text/plain', want: undefined },
  { header: '*/*', want: undefined },
  { header: 'Application/YAML', want: 'yaml' },
  { header: 'Application/vnd.Kubernetes.protobuf', want: 'protobuf' },
];
for (const { header, want } of contentTypes)
  test(`the body of a request of type "${header}"`, () => assert.is(negotiator('kubernetes').encodingOf(header), want));

test('many different headers do not grow the cache without bound', () => {
  const one = negotiator('kubernetes');
  for (let i = 0; i < 5000; i++) one.negotiate(`application/json;x=${i}`, false);
  assert.is(one.negotiate('application/json;x=1', false).encoding, 'json');
});

test('a header of many spaces takes no time', () => {
  const spaces = ' '.repeat(1_000_000);
  assert.is(negotiator('kubernetes').negotiate(`a${spaces}b/c;a${spaces}b=c${spaces}d,application/json${spaces}`, false).encoding, 'json');
});

test('a header of many types takes no time', () => {
  const one = negotiator('kubernetes');
  const types = (count: number) => `${'a/b,*/*;q=0,'.repeat(count / 2)}application/yaml;q=2`;
  for (const count of [2, 998, 100_000]) assert.is(one.negotiate(types(count), false).encoding, 'yaml', `${count}`);
});

test('long headers are not kept', () => {
  const one = negotiator('kubernetes');
  const before = usedHeap();
  for (let i = 0; i < 200; i++) assert.is(one.negotiate(`application/json;x=${longText(i, 500_000)}`, false).encoding, 'json');
  const grown = usedHeap() - before;
  assert.ok(grown < 20_000_000, `${grown} bytes`);
});

test.run();
