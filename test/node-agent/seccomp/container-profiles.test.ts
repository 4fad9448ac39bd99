import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Pod } from '../../../generated/core/v1/types.ts';
import { type ContainerProfile, containerProfiles } from '../../../runtime/node-agent/seccomp/container-profiles.ts';

const root = mkdtempSync(path.join(tmpdir(), 'seccomp-'));
mkdirSync(path.join(root, 'seccomp/profiles'), { recursive: true });
writeFileSync(path.join(root, 'seccomp/profiles/audit.json'), '{"defaultAction":"SCMP_ACT_LOG"}');
writeFileSync(path.join(root, 'seccomp/wrong.json'), '{"defaultAction":"SCMP_ACT_NOTIFY"}');
writeFileSync(path.join(root, 'seccomp/cut.json'), '{');
const AUDIT = path.join(root, 'seccomp/profiles/audit.json');

const RUNTIME = { seccompProfile: { type: 'RuntimeDefault' } };
const NONE = { seccompProfile: { type: 'Unconfined' } };
const local = (localhostProfile?: string) => ({ seccompProfile: { type: 'Localhost', localhostProfile } });

type Shown = [container: string, type: string, from: string, file?: string];

async function profilesOf(spec: object, seccompDefault = false): Promise<ContainerProfile[]> {
  return await containerProfiles({ spec } as Pick<Pod, 'spec'>, { rootDirectory: root, seccompDefault });
}

const shown = ({ container, type, from, file }: ContainerProfile): Shown =>
  file === undefined ? [container, type, from] : [container, type, from, file];

const rules = suite('profiles of containers');
rules.after(() => rmSync(root, { recursive: true }));

const one = (securityContext?: object, ofPod?: object) => ({ securityContext: ofPod, containers: [{ name: 'a', securityContext }] });
const OWN = 'spec.containers[0].securityContext.seccompProfile';
const POD = 'spec.securityContext.seccompProfile';
const PRIVILEGED = 'spec.containers[0].securityContext.privileged';
const cases: [name: string, spec: object, seccompDefault: boolean, expected: Shown][] = [
  ['nothing said: none', one(), false, ['a', 'Unconfined', 'default']],
  ['nothing said, with --seccomp-default: that of the runtime', one(), true, ['a', 'RuntimeDefault', '--seccomp-default']],
  ['the pod says it', one({}, RUNTIME), false, ['a', 'RuntimeDefault', POD]],
  ['the container says it', one(RUNTIME), false, ['a', 'RuntimeDefault', OWN]],
  ['the container overrides the pod', one(NONE, RUNTIME), false, ['a', 'Unconfined', OWN]],
  ['the container overrides the default', one(NONE), true, ['a', 'Unconfined', OWN]],
  [
    'a privileged container has none, whatever it says',
    one({ ...RUNTIME, privileged: true }, RUNTIME),
    true,
    ['a', 'Unconfined', PRIVILEGED],
  ],
  ['a container that is not privileged', one({ ...RUNTIME, privileged: false }), false, ['a', 'RuntimeDefault', OWN]],
  ['a file', one(local('profiles/audit.json')), false, ['a', 'Localhost', OWN, AUDIT]],
  ['a file that the pod says', one(undefined, local('profiles/audit.json')), true, ['a', 'Localhost', POD, AUDIT]],
];
for (const [name, spec, seccompDefault, expected] of cases)
  rules(name, async () => {
    const profiles = await profilesOf(spec, seccompDefault);
    assert.equal(profiles.map(shown), [expected]);
    assert.is(profiles[0]?.problem, undefined);
  });

const refused: [name: string, securityContext: object, problem: RegExp][] = [
  [
    'a file that is not there',
    local('profiles/none.json'),
    /^cannot load seccomp profile ".*\/seccomp\/profiles\/none\.json": there is no such file or folder/,
  ],
  ['a folder', local('profiles'), /it is not a regular file/],
  ['a file with a wrong profile', local('wrong.json'), /wrong\.json": defaultAction: Invalid value: "SCMP_ACT_NOTIFY"/],
  ['a file that holds no JSON', local('cut.json'), /cut\.json": it is no JSON/],
  ['no name of a file', local(), /^localhostProfile must be set if seccompProfile type is Localhost$/],
  ['an absolute path', local(AUDIT), /must be a relative path$/],
  ['a path that leads out', local('../seccomp/profiles/audit.json'), /must not contain '\.\.'$/],
  ['an unknown type', { seccompProfile: { type: 'Docker' } }, /^there is no seccomp profile type "Docker"$/],
];
for (const [name, securityContext, problem] of refused)
  rules(`${name}: the container cannot be created`, async () => {
    const [profile] = await profilesOf(one(securityContext));
    assert.match(profile?.problem ?? '', problem);
  });
rules('a privileged container does not miss a file', async () => {
  const [profile] = await profilesOf(one({ ...local('profiles/none.json'), privileged: true }));
  assert.is(profile?.problem, undefined);
});
rules('every container of a pod has its own, in the order in which they start', async () => {
  const profiles = await profilesOf({
    securityContext: RUNTIME,
    ephemeralContainers: [{ name: 'debug', securityContext: NONE }],
    containers: [{ name: 'web' }, { name: 'log', securityContext: local('profiles/audit.json') }],
    initContainers: [{ name: 'setup', securityContext: { privileged: true } }],
  });
  assert.equal(profiles.map(shown), [
    ['setup', 'Unconfined', 'spec.initContainers[0].securityContext.privileged'],
    ['web', 'RuntimeDefault', POD],
    ['log', 'Localhost', 'spec.containers[1].securityContext.seccompProfile', AUDIT],
    ['debug', 'Unconfined', 'spec.ephemeralContainers[0].securityContext.seccompProfile'],
  ]);
});
rules.run();
