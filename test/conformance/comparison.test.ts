import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Comparison, RecordedAnswer } from './cases.ts';
import { compareAnswers } from './comparison.ts';
import { answerInDialect, inDialect } from './dialect.ts';
import { faultsOfList, withFurtherCases } from './known-failures.ts';

const compared = suite('compared answers');
const refusal = { kind: 'Status', reason: 'BadRequest', code: 400 };
const versioned = (resourceVersion: string, items?: object[]): RecordedAnswer => ({
  status: 200,
  body: { metadata: { resourceVersion }, items },
});
const rows: [name: string, how: Comparison, wanted: RecordedAnswer, seen: RecordedAnswer, found: string[]][] = [
  ['the same', 'full', { status: 200, headers: {}, body: { a: [1] } }, { status: 200, headers: {}, body: { a: [1] } }, []],
  ['a status', 'full', { status: 200 }, { status: 404 }, ['/status: 404, not 200']],
  ['a member that is missing', 'full', { status: 200, body: { a: 1 } }, { status: 200, body: {} }, ['/body/a: missing, not 1']],
  ['a member too many', 'full', { status: 200, body: {} }, { status: 200, body: { 'a/b': 1 } }, ['/body/a~1b: 1, not absent']],
  ['items in another order', 'full', { status: 1, body: [1, 2] }, { status: 1, body: [2, 1] }, ['/body/0: 2, not 1', '/body/1: 1, not 2']],
  ['an object for a list', 'full', { status: 1, body: [] }, { status: 1, body: {} }, ['/body: {}, not []']],
  ['a number for a text', 'full', { status: 1, body: '1' }, { status: 1, body: 1 }, ['/body: 1, not "1"']],
  ['a header', 'full', { status: 1, headers: { allow: 'GET' } }, { status: 1, headers: {} }, ['/headers/allow: missing, not "GET"']],
  ['a part', 'subset', { status: 1, body: { a: [{ b: 1 }] } }, { status: 1, body: { a: [2, { b: 1, c: 2 }], d: 3 } }, []],
  [
    'a part that is not there',
    'subset',
    { status: 1, body: { a: 1 } },
    { status: 1, body: { b: 1 } },
    ['/body: {"b":1} does not hold {"a":1}'],
  ],
  ['a list that is too short', 'subset', { status: 1, body: [1, 1] }, { status: 1, body: [1] }, ['/body: [1] does not hold [1,1]']],
  ['a part with another status', 'subset', { status: 1, body: {} }, { status: 2, body: {} }, ['/status: 2, not 1']],
  ['the status alone', 'status', { status: 1 }, { status: 1, body: 'anything' }, []],
  ['the status alone, which differs', 'status', { status: 1 }, { status: 2 }, ['/status: 2, not 1']],
  ['a whole refusal in place of a fault', 'full', { status: 500, body: {} }, { status: 400, body: refusal }, []],
  ['a refusal that does not say its own code', 'status', { status: 500 }, { status: 422, body: refusal }, ['/status: 422, not 500']],
  ['a list that is newer than an object', 'full', versioned('{{rv}}', []), versioned('<rv>', []), []],
  [
    'a list that is older than an object',
    'full',
    versioned('{{later}}', []),
    versioned('<rv>', []),
    ['/body/metadata/resourceVersion: "<rv>", not "{{later}}"'],
  ],
  ['a list without a version', 'full', versioned('{{rv}}', []), versioned('', []), ['/body/metadata/resourceVersion: "", not "{{rv}}"']],
  ['an object that is newer', 'full', versioned('{{rv}}'), versioned('<rv>'), ['/body/metadata/resourceVersion: "<rv>", not "{{rv}}"']],
  ['a refusal in place of success', 'status', { status: 200 }, { status: 400, body: refusal }, ['/status: 400, not 200']],
];
for (const [name, how, wanted, seen, found] of rows)
  compared(name, () =>
    assert.equal(
      compareAnswers(wanted, seen, how, (placeholder) => placeholder === '{{rv}}'),
      found,
    ),
  );
compared('name twelve places at most', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`m${index}`, index]));
  assert.is(compareAnswers({ status: 1, body: many }, { status: 1, body: {} }, 'full', () => false).length, 12);
});
compared.run();

const dialects = suite('dialects');
const texts: [recorded: string, said: string][] = [
  ['rbac.authorization.k8s.io/v1', 'rbac.authorization.cluster.io/v1'],
  ['kubernetes.io/metadata.name', 'cluster.io/metadata.name'],
  ['application/vnd.kubernetes.protobuf', 'application/vnd.cluster.protobuf'],
  ['kube-system and kube-root-ca.crt', 'cluster-system and cluster-root-ca.crt'],
  ['kube-systems', 'kube-systems'],
  ['livez check passed', 'healthz check passed'],
];
for (const [recorded, said] of texts) {
  dialects(`"${recorded}" in cluster`, () => assert.is(inDialect(recorded, 'cluster'), said));
  dialects(`"${recorded}" in kubernetes`, () => assert.is(inDialect(recorded, 'kubernetes'), recorded));
}
const created = { status: 201, body: { code: 201, kind: 'x.k8s.io' } };
dialects('a create is answered by the status of the dialect', () => {
  assert.equal(answerInDialect(created, 'cluster'), { status: 200, body: { code: 200, kind: 'x.cluster.io' } });
  assert.equal(answerInDialect(created, 'kubernetes'), created);
  assert.equal(answerInDialect({ status: 404, body: null }, 'cluster'), { status: 404, body: null });
});
dialects.run();

const list = suite('the list of known failures');
const failures = [{ step: 's', why: ['/status: 404, not 200'] }];
const lists: [name: string, known: string[], passed: string[], failed: string[], faults: string[]][] = [
  ['is right', ['a'], ['b'], ['a'], []],
  ['lacks a case that fails', [], ['b'], ['a'], ['a fails\n  step s\n    /status: 404, not 200']],
  ['has a case that passes', ['b'], ['b'], [], ['b passes: remove it from the list']],
  ['has a case that there is not', ['c'], ['b'], [], ['c is no case of this dialect: remove it from the list']],
];
for (const [name, known, passed, failed, faults] of lists)
  list(name, () => assert.equal(faultsOfList(known, { passed, failed: new Map(failed.map((each) => [each, failures])) }), faults));
list('further cases come to those of the project, which keep their names', () => {
  const named = (name: string, title: string) => ({ name, title, steps: [] });
  assert.equal(withFurtherCases([named('a', 'own')], [named('a', 'other'), named('b', 'other')]), [named('a', 'own'), named('b', 'other')]);
});
list.run();
