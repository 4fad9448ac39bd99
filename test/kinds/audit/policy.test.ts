import * as assert from 'uvu/assert';
import { type FileCases, fileSuite, fileText } from '../../files/cases.ts';
import { fileKinds, problemsOf } from '../../files/reader.ts';

const cases: FileCases = {
  kinds: fileKinds(),
  name: { group: 'audit.${groupDomain}', kind: 'Policy' },
  apiVersion: 'audit.k8s.io/v1',
};
const one = (rule: object) => ({ rules: [{ level: 'Metadata', ...rule }] });
const BOTH = 'rules cannot apply to both regular resources and non-resource URLs';
const policies = fileSuite('audit policies', cases, [
  ['a rule for all', one({}), []],
  ['a rule for resources', one({ resources: [{ group: 'apps', resources: ['*/scale'], resourceNames: ['a'] }], namespaces: [''] }), []],
  ['a rule for paths', one({ nonResourceURLs: ['/healthz*', '*'], omitStages: ['RequestReceived'] }), []],
  ['no rule', { rules: [] }, ['rules: Required value: a policy has at least one rule']],
  ['no level', { rules: [{}] }, ['rules[0].level: Required value']],
  [
    'another level',
    one({ level: 'All' }),
    ['rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"'],
  ],
  [
    'other stages',
    { omitStages: ['Start'], ...one({ omitStages: ['End'] }) },
    ['omitStages[0]', 'rules[0].omitStages[0]'].map(
      (at, index) =>
        `${at}: Invalid value: "${['Start', 'End'][index]}": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic`,
    ),
  ],
  [
    'resources and paths',
    one({ nonResourceURLs: ['/a'], resources: [{}] }),
    [`rules[0].nonResourceURLs: Invalid value: []string{"/a"}: ${BOTH}`],
  ],
  [
    'paths that are none',
    one({ nonResourceURLs: ['a', '/*/b'] }),
    [
      `rules[0].nonResourceURLs[0]: Invalid value: "a": non-resource URL rules must begin with a '/' character`,
      `rules[0].nonResourceURLs[1]: Invalid value: "/*/b": non-resource URL wildcards '*' must be the final character of the rule`,
    ],
  ],
  [
    'names without resources',
    one({ resources: [{ resourceNames: ['a'] }] }),
    ['rules[0].resources[0].resourceNames: Invalid value: []string{"a"}: using resourceNames requires at least one resource'],
  ],
]);
policies('groups are no versions', async () => {
  const [problem] = await problemsOf(cases.kinds, fileText(cases, one({ resources: [{ group: 'apps/v1' }] })), cases.name);
  assert.match(problem as string, /^rules\[0\]\.resources\[0\]\.group: Invalid value: "apps\/v1": a lowercase RFC 1123 subdomain/);
});
policies('what they do not know is dropped with a warning', async () => {
  const { object, warnings } = await cases.kinds.parse(fileText(cases, one({ colour: 'red' })), 'file', cases.name);
  assert.equal(warnings, ['file: unknown field "rules[0].colour"']);
  assert.equal(object.rules, [{ level: 'Metadata' }]);
});
policies.run();
