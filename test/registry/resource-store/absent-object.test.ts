import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nameFault } from '../../../runtime/registry/resource-store/absent-object.ts';
import { APPLY, AskedServer, JSON_PATCH, MERGE, type Question, refusal, STRATEGIC } from '../../endpoints/handlers/asked-server.ts';

const names = suite('names of objects that are not there');
const server = await AskedServer.start();
names.after(() => server.stop());

names('are good or bad for keys', () => {
  for (const name of ['a', 'A_b', 'a:b', '...', 'x'.repeat(300)]) assert.is(nameFault(name), undefined, name);
  assert.is(nameFault(''), 'Name parameter required.');
  assert.is(nameFault('..'), `Name parameter invalid: "..": may not be '..'`);
  assert.is(nameFault('a%/b'), `Name parameter invalid: "a%/b": may not contain '/';may not contain '%'`);
});

const CORE = '/api/v1/namespaces/default';
const POD = `${CORE}/pods/a%25b`;
const NAMED = { metadata: { name: 'a%b' } };
const REFUSAL = [400, 'BadRequest', `Name parameter invalid: "a%b": may not contain '%'`];
const TARGET = { kind: 'Node', name: 'n1' };
const ASKED: readonly (readonly [method: string, path: string, question?: Question])[] = [
  ['GET', POD],
  ['DELETE', POD],
  ['PUT', POD, { body: NAMED }],
  ['PATCH', POD, { body: {}, type: MERGE }],
  ['PATCH', POD, { body: [], type: JSON_PATCH }],
  ['PATCH', `${POD}?fieldManager=me`, { body: { apiVersion: 'v1', kind: 'Pod', ...NAMED }, type: APPLY }],
  ['PATCH', `${POD}/status`, { body: {}, type: STRATEGIC }],
  ['PATCH', `${POD}/ephemeralcontainers`, { body: {}, type: STRATEGIC }],
  ['GET', `${POD}/log`],
  ['GET', `${POD}/proxy/`],
  ['GET', `${CORE}/services/a%25b/proxy/`],
  ['POST', `${POD}/eviction`, { body: { apiVersion: 'policy/v1', kind: 'Eviction', ...NAMED } }],
  ['POST', `${POD}/binding`, { body: { ...NAMED, target: TARGET } }],
  ['POST', `${CORE}/bindings`, { body: { ...NAMED, target: TARGET } }],
  ['POST', `${CORE}/serviceaccounts/a%25b/token`, { body: {} }],
  ['GET', '/apis/apps/v1/namespaces/default/deployments/a%25b/scale'],
  ['PATCH', '/apis/apps/v1/namespaces/default/deployments/a%25b/scale', { body: {}, type: MERGE }],
];
for (const [method, path, question] of ASKED)
  names(`no object can have are refused: ${method} ${path} ${question?.type ?? ''}`, async () => {
    assert.equal(refusal(await server.ask(method, path, question)), REFUSAL);
  });
names('are missed in a binding that is sent to the collection', async () => {
  const refused = refusal(await server.post(`${CORE}/bindings`, { metadata: {}, target: TARGET }));
  assert.equal(refused, [400, 'BadRequest', 'Name parameter required.']);
});
names.run();
