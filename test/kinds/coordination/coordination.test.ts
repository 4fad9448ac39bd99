import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from '../../../runtime/formats/semantic-versions.ts';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('leases and lease candidates');
const { rules: leaseRules } = await loadKind('coordination.k8s.io/v1', 'Lease');
const { rules: candidateRules } = await loadKind('coordination.k8s.io/v1alpha2', 'LeaseCandidate');

const lease = (spec: object): ApiObject => object('coordination.k8s.io/v1', 'Lease', { spec });
const candidate = (spec: object, metadata: object = {}): ApiObject =>
  object(
    'coordination.k8s.io/v1alpha2',
    'LeaseCandidate',
    { spec: { leaseName: 'l', binaryVersion: '1.32.0', emulationVersion: '1.32.0', strategy: 'OldestEmulationVersion', ...spec } },
    metadata,
  );

const leases: [string, object, string[]][] = [
  ['an empty one', {}, []],
  ['an empty holder', { holderIdentity: '' }, []],
  ['no duration', { leaseDurationSeconds: 0 }, ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0']],
  ['negative transitions', { leaseTransitions: -1 }, ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0']],
  [
    'an unknown strategy',
    { strategy: 'X' },
    ['spec.strategy.strategy: Unsupported value: "X": supported values: "OldestEmulationVersion"'],
  ],
  ['a strategy of someone else', { strategy: 'example.com/mine', preferredHolder: 'a' }, []],
  [
    'a preferred holder without strategy',
    { preferredHolder: 'a' },
    ['spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined'],
  ],
];
for (const [name, spec, expected] of leases)
  test(`lease: ${name}`, () => assert.equal(lines(leaseRules.validate?.(lease(spec), ruleContext())), expected));

const candidates: [string, object, string[]][] = [
  ['a good one', {}, []],
  ['no lease', { leaseName: '' }, ['spec.leaseName: Required value']],
  ['no binary version', { binaryVersion: '' }, ['spec.binaryVersion: Required value']],
  [
    'no version at all',
    { binaryVersion: 'x' },
    [
      'spec.binaryVersion: Invalid value: "x": must be a valid semantic version',
      'spec.binaryVersion: Invalid value: "x": must be greater than or equal to `emulationVersion`',
    ],
  ],
  [
    'an emulated version newer than the binary',
    { emulationVersion: '1.33.0' },
    ['spec.binaryVersion: Invalid value: "1.32.0": must be greater than or equal to `emulationVersion`'],
  ],
  ['no strategy', { strategy: undefined }, ['spec.strategy: Required value']],
  [
    'no emulated version',
    { emulationVersion: undefined },
    ["spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'"],
  ],
  ['no emulated version for a strategy of someone else', { emulationVersion: undefined, strategy: 'example.com/mine' }, []],
];
for (const [name, spec, expected] of candidates)
  test(`candidate: ${name}`, () => assert.equal(lines(candidateRules.validate?.(candidate(spec), ruleContext())), expected));

test('the name of a candidate may have capitals, and no spaces', () => {
  assert.equal(lines(candidateRules.validate?.(candidate({}, { name: 'A_b' }), ruleContext())), []);
  assert.match(
    lines(candidateRules.validate?.(candidate({}, { name: 'a b' }), ruleContext()))[0] as string,
    /^metadata\.name: Invalid value: "a b"/,
  );
});

test('the lease of a candidate stays', () => {
  assert.equal(lines(candidateRules.validateUpdate?.(candidate({ leaseName: 'm' }), candidate({}), ruleContext())), [
    'spec.leaseName: Invalid value: "m": field is immutable',
  ]);
});

test('cells', async () => {
  const now = Date.parse('2026-01-01T00:00:05Z');
  assert.equal(await rowOf(lease({ holderIdentity: 'me' }), now), ['x', 'me', '5s']);
  assert.equal(await rowOf(lease({}), now), ['x', '', '5s']);
  assert.equal(await rowOf(candidate({}), now), ['x', 'l', '1.32.0', '1.32.0', '5s']);
});

const versions = [
  '0.0.1-alpha',
  '0.0.1',
  '1.0.0-1',
  '1.0.0-2',
  '1.0.0-10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.b',
  '1.0.0',
  '1.2.0',
  '1.10.0',
];
const parsed = (text: string): SemanticVersion => parseSemanticVersion(text) as SemanticVersion;

test('versions are ordered', () => {
  fc.assert(
    fc.property(fc.nat(versions.length - 1), fc.nat(versions.length - 1), (a, b) => {
      const order = compareSemanticVersions(parsed(versions[a] as string), parsed(versions[b] as string));
      assert.is(Math.sign(order), Math.sign(a - b));
    }),
  );
});

for (const text of ['1.2', 'v1.2.3', '01.2.3', '1.2.3-', '1.2.3-01', '1.2.3+', ' 1.2.3'])
  test(`no version: ${text}`, () => assert.is(parseSemanticVersion(text), undefined));

test('build metadata does not count', () => assert.is(compareSemanticVersions(parsed('1.2.3+a'), parsed('1.2.3+b')), 0));

test.run();
