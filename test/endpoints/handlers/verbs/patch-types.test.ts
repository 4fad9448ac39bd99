import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, MERGE } from '../asked-server.ts';

const test = suite('media types of patches');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAP = '/api/v1/namespaces/default/configmaps/a';
test.before(() => server.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } }).then(() => undefined));

const ROWS: readonly (readonly [what: string, type: string, accept: string, status: number])[] = [
  ['parameters behind it', `${MERGE};charset=utf-8`, 'application/json', 200],
  ['a space before these', `${MERGE} ;charset=utf-8`, 'application/json', 415],
  ['capitals', MERGE.toUpperCase(), 'application/json', 415],
  ['a type that is none, to be answered in a form that is none', 'text/plain', 'text/plain', 415],
  ['a type that is none, to be answered as another kind', 'text/plain', 'application/json;as=Table;g=meta.k8s.io;v=v9', 415],
  ['to be answered in a form that is none', MERGE, 'text/plain', 406],
];
for (const [what, type, accept, status] of ROWS)
  test(what, async () => {
    const answer = await server.ask('PATCH', MAP, { body: {}, type, headers: { accept } });
    assert.is(answer.status, status, JSON.stringify(answer.body));
  });

test.run();
