/** Who may write policies and bindings: those who may read the parameters. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { WriteAccess, WriterAction } from '../../../runtime/contract/write-access.ts';
import { authorizeBinding, authorizePolicy } from '../../../runtime/kinds/admissionregistration/parameter-access.ts';
import { StatusError } from '../../../runtime/status/status.ts';

const test = suite('access to parameters');
const GROUP = 'admissionregistration.k8s.io';
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

interface Writer {
  readonly groups?: string[];
  readonly may?: boolean;
  /** parameters of the stored policy `p` */
  readonly stored?: object;
}

async function asked(
  write: (access: WriteAccess) => Promise<void>,
  { groups = ['dev'], may = false, stored }: Writer,
): Promise<{ actions: WriterAction[]; problem: string }> {
  const actions: WriterAction[] = [];
  const access: WriteAccess = {
    user: { name: 'jane', uid: '7', groups, extra: { scope: ['a', 'b'] } },
    group: GROUP,
    resource: 'any',
    namespace: '',
    name: '',
    allows: async (action) => {
      actions.push(action);
      return may;
    },
    resourceOf: (apiVersion, kind) => (apiVersion === 'v1' && kind === 'ConfigMap' ? 'configmaps' : undefined),
    stored: (resource, name) =>
      resource === 'policies' && name === 'p' && stored ? ({ spec: { paramKind: stored } } as unknown as ApiObject) : undefined,
    heldRules: () => ({ rules: [] }),
    roleRules: () => [],
  };
  try {
    await write(access);
    return { actions, problem: '' };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    assert.is(error.code, 422);
    return { actions, problem: error.message };
  }
}

const policy = (paramKind?: object) => ({ kind: 'P', metadata: { name: 'p' }, spec: { ...(paramKind && { paramKind }) } });
const policies: readonly [
  name: string,
  now: object | undefined,
  before: object | undefined,
  writer: Writer,
  action: object | undefined,
  problem: string,
][] = [
  ['no parameters', undefined, undefined, {}, undefined, ''],
  ['what it may read', CONFIG_MAP, undefined, { may: true }, { group: '', version: 'v1', resource: 'configmaps' }, ''],
  [
    'what it may not read',
    CONFIG_MAP,
    undefined,
    {},
    { group: '', version: 'v1', resource: 'configmaps' },
    `P.${GROUP} "p" is invalid: spec.paramKind: Forbidden: user &{jane 7 [dev] map[scope:[a b]]} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
  ],
  [
    'a kind that is not there',
    { apiVersion: 'a.b/v2', kind: 'X' },
    undefined,
    { may: true },
    { group: 'a.b', version: 'v2', resource: '*' },
    '',
  ],
  ['no version', { apiVersion: 'a/b/c', kind: 'X' }, undefined, { may: true }, { group: '*', version: '*', resource: '*' }, ''],
  ['what was there before', CONFIG_MAP, CONFIG_MAP, {}, undefined, ''],
  [
    'another kind than before',
    CONFIG_MAP,
    { apiVersion: 'v1', kind: 'Secret' },
    { may: true },
    { group: '', version: 'v1', resource: 'configmaps' },
    '',
  ],
  ['anything, by who may do all', CONFIG_MAP, undefined, { groups: ['system:masters'] }, undefined, ''],
];
for (const [name, now, before, writer, action, problem] of policies)
  test(`a policy with ${name}`, async () => {
    const found = await asked((access) => authorizePolicy(policy(now), before && policy(before), access), writer);
    assert.equal(found, { actions: action === undefined ? [] : [{ verb: 'get', namespace: '*', name: '*', ...action }], problem });
  });

const binding = (paramRef?: object, policyName = 'p') => ({
  kind: 'B',
  metadata: { name: 'b' },
  spec: { policyName, ...(paramRef && { paramRef }) },
});
const NAMED = { name: 'x', namespace: 'n', parameterNotFoundAction: 'Deny' };
const SELECTED = { selector: {}, parameterNotFoundAction: 'Deny' };
const bindings: readonly [
  name: string,
  now: object | undefined,
  before: object | undefined,
  writer: Writer,
  action: object | undefined,
  problem: string,
][] = [
  ['no parameters', undefined, undefined, {}, undefined, ''],
  [
    'an object by name',
    NAMED,
    undefined,
    { may: true, stored: CONFIG_MAP },
    { verb: 'get', group: '', version: 'v1', resource: 'configmaps', namespace: 'n', name: 'x' },
    '',
  ],
  [
    'objects by a selector, of all namespaces',
    SELECTED,
    undefined,
    { may: true, stored: CONFIG_MAP },
    { verb: 'list', group: '', version: 'v1', resource: 'configmaps', namespace: '', name: '' },
    '',
  ],
  [
    'a policy that is not there',
    NAMED,
    undefined,
    {},
    { verb: 'get', group: '*', version: '*', resource: '*', namespace: 'n', name: 'x' },
    `B.${GROUP} "b" is invalid: spec.paramRef: Forbidden: user &{jane 7 [dev] map[scope:[a b]]} does not have "get" permission on the object referenced by paramRef`,
  ],
  [
    'what was there before, which is asked about again',
    NAMED,
    NAMED,
    { may: true, stored: CONFIG_MAP },
    { verb: 'get', group: '', version: 'v1', resource: 'configmaps', namespace: 'n', name: 'x' },
    '',
  ],
  ['anything, by who may do all', NAMED, undefined, { groups: ['system:masters'] }, undefined, ''],
];
for (const [name, now, before, writer, action, problem] of bindings)
  test(`a binding with ${name}`, async () => {
    const write = (access: WriteAccess) => authorizeBinding('policies')(binding(now), before && binding(before), access);
    assert.equal(await asked(write, writer), { actions: action === undefined ? [] : [action], problem });
  });

test.run();
