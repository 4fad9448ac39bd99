import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../generated/identity.ts';
import { createIdentity, type Dialect } from '../../runtime/contract/identity.ts';
import { Negotiator } from '../../runtime/endpoints/negotiation.ts';
import { StatusError } from '../../runtime/status/status.ts';

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

test('the dialect cluster has no YAML', () => {
  assert.throws(() => negotiator('cluster').negotiate('application/yaml', false), /Not Acceptable/);
  assert.is(negotiator('cluster').negotiate('application/yaml, application/json', false).encoding, 'json');
  assert.is(negotiator('cluster').encodingOf('application/yaml'), undefined);
  assert.is(negotiator('cluster').encodingOf('application/vnd.cluster.protobuf'), 'protobuf');
});

test('many different headers do not grow the cache without bound', () => {
  const one = negotiator('kubernetes');
  for (let i = 0; i < 5000; i++) one.negotiate(`application/json;x=${i}`, false);
  assert.is(one.negotiate('application/json;x=1', false).encoding, 'json');
});

test.run();
