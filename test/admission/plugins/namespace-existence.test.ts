import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namespaceAutoProvision, namespaceExists } from '../../../runtime/admission/plugins/namespace-existence.ts';
import { newConflict, newForbidden } from '../../../runtime/status/status.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

const test = suite('namespaces that are not there');

const namespacePhase = (name: string) => (name === 'gone' ? undefined : 'Active');

const MADE: readonly (readonly [name: string, asked: Asked, made: readonly string[]])[] = [
  ['a new object', { namespace: 'gone', object: {} }, ['gone']],
  ['a dry run', { namespace: 'gone', object: {}, dryRun: true }, []],
  ['an update', { operation: 'update', namespace: 'gone', object: {} }, []],
  ['a namespace that is there', { namespace: 'a', object: {} }, []],
  ['the namespace itself', { resource: 'namespaces', namespace: 'gone', object: {} }, []],
  ['outside of namespaces', { namespace: '', object: {} }, []],
];
for (const [name, given, expected] of MADE)
  test(`made for ${name}: ${expected.length > 0}`, async () => {
    const made: string[] = [];
    const createNamespace = async (namespace: string) => void made.push(namespace);
    await asked(namespaceAutoProvision(partsOf({ namespacePhase, createNamespace })), given);
    assert.equal(made, expected);
  });

const REFUSALS: readonly (readonly [what: string, refusal: Error, expected: string])[] = [
  [
    'cannot be made',
    newConflict({ group: '', resource: 'namespaces' }, 'gone', 'x'),
    'pods "x" is forbidden: Operation cannot be fulfilled on namespaces "gone": x',
  ],
  ['is forbidden', newForbidden({ group: '', resource: 'namespaces' }, 'gone', 'x'), 'namespaces "gone" is forbidden: x'],
];
for (const [what, refusal, expected] of REFUSALS)
  test(`forbid an object where their making ${what}`, async () => {
    const createNamespace = async () => {
      throw refusal;
    };
    assert.is(
      await asked(namespaceAutoProvision(partsOf({ namespacePhase, createNamespace })), { namespace: 'gone', object: {} }),
      expected,
    );
  });

const MISSING = 'namespaces "gone" not found';
const MISSED: readonly (readonly [name: string, asked: Asked, isMissed: boolean])[] = [
  ['a new object', { namespace: 'gone', object: {} }, true],
  ['an update', { operation: 'update', namespace: 'gone', object: {}, old: {} }, true],
  ['a deletion', { operation: 'delete', namespace: 'gone', old: {} }, true],
  ['a connection', { operation: 'connect', namespace: 'gone' }, false],
  ['a namespace that is there', { namespace: 'a', object: {} }, false],
  ['the namespace itself', { resource: 'namespaces', namespace: 'gone', object: {} }, false],
];
for (const [name, given, isMissed] of MISSED)
  test(`missed by ${name}: ${isMissed}`, async () =>
    assert.is((await asked(namespaceExists(partsOf({ namespacePhase })), given)) === MISSING, isMissed));

test.run();
