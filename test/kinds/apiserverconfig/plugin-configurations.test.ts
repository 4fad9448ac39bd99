/** What admission plugins and tracing are told. */
import * as assert from 'uvu/assert';
import { type FileCases, fileSuite, fileText } from '../../files/cases.ts';
import { fileKinds } from '../../files/reader.ts';

const kinds = fileKinds();
const group = 'apiserver.config.${groupDomain}';
const admission: FileCases = { kinds, name: { group, kind: 'AdmissionConfiguration' }, apiVersion: 'apiserver.config.k8s.io/v1' };
const plugins = fileSuite('configurations of admission plugins', admission, [
  [
    'a file and a configuration',
    {
      plugins: [
        { name: 'A', path: 'a.yaml' },
        { name: 'B', configuration: { kind: 'C', x: 1 } },
      ],
    },
    [],
  ],
  // as in 1.32, which ignores entries of plugins that there are not, and takes the first one of a plugin
  ['no name', { plugins: [{}] }, []],
  ['a plugin twice', { plugins: [{ name: 'A' }, { name: 'A' }] }, []],
  ['an unknown member', { plugins: [{ name: 'A', file: 'a' }] }, ['unknown field "plugins[0].file"']],
]);
plugins('of the first group become the present one, and keep what plugins are told', async () => {
  const members = { plugins: [{ name: 'A', configuration: { kind: 'C', x: [1] } }] };
  const { object, warnings } = await kinds.parse(
    fileText({ ...admission, apiVersion: 'apiserver.k8s.io/v1alpha1' }, members),
    'file',
    admission.name,
  );
  assert.is(object.apiVersion, admission.apiVersion);
  assert.equal(object.plugins[0].configuration, { kind: 'C', x: [1] });
  assert.is(warnings.length, 1);
});
plugins.run();

const tracing: FileCases = { kinds, name: { group, kind: 'TracingConfiguration' }, apiVersion: 'apiserver.config.k8s.io/v1beta1' };
fileSuite('configurations of tracing', tracing, [
  ['nothing', {}, []],
  ['a collector', { endpoint: 'localhost:4317', samplingRatePerMillion: 1_000_000 }, []],
  [
    'wrong settings',
    { endpoint: 'https://a', samplingRatePerMillion: -1 },
    [
      'samplingRatePerMillion: Invalid value: -1: sampling rate must be positive',
      'endpoint: Invalid value: "https://a": unsupported scheme: https.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md',
    ],
  ],
  [
    'more than all, to an address that is none',
    { endpoint: 'local host', samplingRatePerMillion: 1_000_001 },
    [
      'samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million',
      'endpoint: Invalid value: "dns://local host": parse "dns://local host": invalid character " " in host name',
    ],
  ],
  ...['collector', '', 'dns:///collector:4317', 'unix:///run/collector.sock', 'unix:/run/collector.sock', 'unix-abstract:///collector'].map(
    (endpoint): [string, object, string[]] => [`a collector at ${endpoint || 'nowhere'}`, { endpoint }, []],
  ),
]).run();
