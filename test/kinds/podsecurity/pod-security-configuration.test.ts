import * as assert from 'uvu/assert';
import { type FileCases, fileSuite, fileText } from '../../files/cases.ts';
import { fileKinds } from '../../files/reader.ts';

const cases: FileCases = {
  kinds: fileKinds(),
  name: { group: 'pod-security.admission.config.${groupDomain}', kind: 'PodSecurityConfiguration' },
  apiVersion: 'pod-security.admission.config.k8s.io/v1',
};
const LEVELS = 'must be one of privileged, baseline, restricted';
const configurations = fileSuite('configurations of pod security', cases, [
  ['nothing', {}, []],
  ['levels and versions', { defaults: { enforce: 'restricted', 'enforce-version': 'v1.32', warn: 'baseline' } }, []],
  [
    'other levels and versions',
    { defaults: { enforce: 'secure', 'warn-version': '1.32', 'audit-version': 'v1.01' } },
    [
      `defaults.enforce: Invalid value: "secure": ${LEVELS}`,
      'defaults.warn-version: Invalid value: "1.32": must be "latest" or "v1.x"',
      'defaults.audit-version: Invalid value: "v1.01": must be "latest" or "v1.x"',
    ],
  ],
  ['exemptions', { exemptions: { usernames: ['a'], namespaces: ['b'], runtimeClasses: ['c.d'] } }, []],
  [
    'exemptions twice',
    { exemptions: { usernames: ['', 'a', 'a'], namespaces: ['b', 'b'] } },
    [
      'exemptions.namespaces[1]: Duplicate value: "b"',
      'exemptions.usernames[0]: Invalid value: "": username must not be empty',
      'exemptions.usernames[2]: Duplicate value: "a"',
    ],
  ],
]);
configurations('of all versions let everything pass unless they say otherwise', async () => {
  for (const version of ['v1alpha1', 'v1beta1', 'v1']) {
    const text = fileText({ ...cases, apiVersion: `pod-security.admission.config.k8s.io/${version}` }, { defaults: { warn: 'baseline' } });
    const { object } = await cases.kinds.parse(text, 'file', cases.name);
    assert.is(object.apiVersion, cases.apiVersion);
    assert.equal(object.defaults, {
      enforce: 'privileged',
      'enforce-version': 'latest',
      audit: 'privileged',
      'audit-version': 'latest',
      warn: 'baseline',
      'warn-version': 'latest',
    });
  }
});
configurations.run();
