/** Which changes of a pod are looked at. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isSignificant } from '../../../runtime/admission/pod-security/significant-update.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('changes of pods');
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const OF_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/a';
const OLD = {
  metadata: { annotations: { x: '1', [SECCOMP]: 'runtime/default' } },
  spec: {
    initContainers: [{ name: 'i', image: '1' }],
    containers: [{ name: 'a', image: '1' }],
    ephemeralContainers: [{ name: 'e', image: '1' }],
  },
};
type Pod = typeof OLD;
const annotated = (annotations: object): Pod => ({ ...OLD, metadata: { annotations } as Pod['metadata'] });
const withSpec = (spec: Partial<Pod['spec']>): Pod => ({ ...OLD, spec: { ...OLD.spec, ...spec } });

const ROWS: readonly (readonly [name: string, now: Pod, expected: boolean])[] = [
  ['none', structuredClone(OLD), false],
  ['another annotation', annotated({ [SECCOMP]: 'runtime/default' }), false],
  ['the filter of calls of the pod, which has no effect', annotated({ x: '1' }), false],
  ['the filter of calls of a container', annotated({ [SECCOMP]: 'runtime/default', [OF_CONTAINER]: 'unconfined' }), true],
  ['an image', withSpec({ containers: [{ name: 'a', image: '2' }] }), true],
  ['an image of one that runs first', withSpec({ initContainers: [{ name: 'i', image: '2' }] }), true],
  ['one container more', withSpec({ containers: [...OLD.spec.containers, { name: 'b', image: '1' }] }), true],
  ['one less', withSpec({ initContainers: [] }), true],
  ['an ephemeral container more', withSpec({ ephemeralContainers: [...OLD.spec.ephemeralContainers, { name: 'f', image: '1' }] }), true],
  ['an ephemeral container less', withSpec({ ephemeralContainers: [] }), false],
  ['an image of an ephemeral container', withSpec({ ephemeralContainers: [{ name: 'e', image: '2' }] }), true],
  ['tolerations', withSpec({ tolerations: [{ key: 'k' }] } as object), false],
];
for (const [name, now, expected] of ROWS) test(name, () => assert.is(isSignificant(now, OLD, identity.text), expected));

test.run();
