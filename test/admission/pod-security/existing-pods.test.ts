/** What is told of the pods that a namespace has when it begins to enforce a level. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Evaluation } from '../../../runtime/admission/pod-security/evaluation.ts';
import { type ExistingPodsParts, warningsOfPods } from '../../../runtime/admission/pod-security/existing-pods.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { newTimeout, StatusError } from '../../../runtime/status/status.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('pods that are there already');
const evaluation = new Evaluation({ identity, release: '1.32', relaxesOwnUsers: false });
const HEAD = 'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:v1.25"';
const enforce = { level: 'baseline', version: 'v1.25' } as const;

interface Made {
  readonly owner?: string;
  readonly runtimeClassName?: string;
  readonly privileged?: boolean;
  readonly hostPID?: boolean;
}
function pod(name: string, { owner, runtimeClassName, privileged = true, hostPID = false }: Made = {}): ApiObject {
  const ownerReferences = owner === undefined ? [] : [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner, controller: true }];
  const containers = [{ name: 'c', securityContext: { privileged } }];
  return { kind: 'Pod', apiVersion: 'v1', metadata: { name, ownerReferences }, spec: { containers, hostPID, runtimeClassName } };
}
const many = (count: number, made: (index: number) => ApiObject): ApiObject[] => Array.from({ length: count }, (_, index) => made(index));

function warnings(
  pods: readonly ApiObject[],
  parts: Partial<ExistingPodsParts> = {},
  throwIfOver = () => {},
  deadline?: number,
): Promise<string[]> {
  const objects = {
    async *inPieces() {
      for (let at = 0; at < pods.length; at += 10) yield pods.slice(at, at + 10);
    },
    count: () => pods.length,
  };
  return warningsOfPods(
    'n',
    enforce,
    { throwIfOver, deadline },
    { objects, evaluation, exemptRuntimeClasses: new Set(['safe']), now: () => 0, ...parts },
  );
}

const ROWS: readonly (readonly [name: string, pods: readonly ApiObject[], told: readonly string[]])[] = [
  ['none', [], []],
  ['good ones', [pod('a', { privileged: false })], []],
  ['one', [pod('a')], [HEAD, 'a: privileged']],
  ['two that are wrong in the same way', [pod('b'), pod('a')], [HEAD, 'a (and 1 other pod): privileged']],
  [
    'several, wrong in different ways, in the order of what is told',
    [pod('z', { hostPID: true }), pod('c'), pod('b'), pod('d'), pod('e', { privileged: false, hostPID: true })],
    [HEAD, 'b (and 2 other pods): privileged', 'e: host namespaces', 'z: host namespaces, privileged'],
  ],
  ['of a runtime class that is exempt', [pod('a', { runtimeClassName: 'safe' }), pod('b')], [HEAD, 'b: privileged']],
  [
    'more than are looked at',
    many(3_005, (index) => pod(`p${String(index).padStart(4, '0')}`, { privileged: index >= 2_999 })),
    ['new PodSecurity enforce level only checked against the first 3000 of 3005 existing pods', HEAD, 'p2999: privileged'],
  ],
  [
    'more than are looked at, with others than copies of one first',
    [...many(3_500, (index) => pod(`copy${index}`, { owner: 'set', privileged: false })), pod('x', { owner: 'other' }), pod('y')],
    ['new PodSecurity enforce level only checked against the first 3000 of 3502 existing pods', HEAD, 'x (and 1 other pod): privileged'],
  ],
];
for (const [name, pods, told] of ROWS) test(name, async () => assert.equal(await warnings(pods), told));

test('those that are seen within a second', async () => {
  let time = 0;
  const found = await warnings(
    many(100, (index) => pod(`p${index}`, { runtimeClassName: index === 3 ? 'safe' : '' })),
    { now: () => (time += 400) },
  );
  assert.is(found[0], 'new PodSecurity enforce level only checked against the first 29 of 99 existing pods');
});

test('those that are seen within half of the time that the request has left', async () => {
  let time = 0;
  const pods = many(100, (index) => pod(`p${index}`));
  const found = await warnings(pods, { now: () => (time += 400) }, () => {}, 1_500);
  assert.is(found[0], 'new PodSecurity enforce level only checked against the first 20 of 100 existing pods');
});

test('what cannot be read is told', async () => {
  const objects = {
    // biome-ignore lint/correctness/useYield: it fails before
    async *inPieces(): AsyncGenerator<readonly ApiObject[]> {
      throw new Error('damaged');
    },
    count: () => 1,
  };
  assert.equal(await warnings([], { objects }), ['failed to list pods while checking new PodSecurity enforce level']);
});

test('they end with the request', async () => {
  const over = () => {
    throw newTimeout('over');
  };
  try {
    await warnings([pod('a')], {}, over);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, StatusError);
  }
});

test.run();
