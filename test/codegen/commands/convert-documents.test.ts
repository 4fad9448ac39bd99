/** What becomes of the texts of manifests: comments, layout, lists, streams of documents. */
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { through } from '../../../codegen/convert/conversion.ts';
import { type ConvertedFile, ManifestConverter } from '../../../codegen/convert/convert-manifests.ts';
import { convertObject } from '../../../codegen/convert/convert-object.ts';
import { KnownKinds, loadGeneratedKinds } from '../../../codegen/convert/known-kinds.ts';
import { manifestDocuments } from '../../../codegen/convert/manifest-documents.ts';
import { ManifestKinds } from '../../../codegen/convert/manifest-kinds.ts';
import { fileText } from '../../../codegen/convert/output.ts';
import { rewritten } from '../../../codegen/convert/text/rewritten-text.ts';
import { randomObject } from '../../../codegen/policy/conversions/random-objects.ts';
import { yamlText } from '../../../runtime/go-yaml/yaml.ts';
import { copyValue } from '../../../runtime/schema/copy.ts';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import type { JsonObject } from '../../../runtime/schema/json/member.ts';
import { parseYaml } from '../../../runtime/schema/yaml/parse-yaml.ts';

const generated = await loadGeneratedKinds(path.join(import.meta.dirname, '../../..'));
const WISH = { outputVersion: undefined, release: '1.32', preferred: false, withDefaults: false };

interface Converted {
  readonly file: ConvertedFile;
  readonly text: string;
  readonly notices: string[];
  readonly errors: string[];
}

async function convert(text: string, wish: Partial<ConstructorParameters<typeof ManifestConverter>[1]> = {}): Promise<Converted> {
  const converter = new ManifestConverter(new ManifestKinds(generated, 'kubernetes'), { ...WISH, ...wish });
  const file = await converter.convertFile({ name: 'a.yaml', path: 'a.yaml', relative: 'a.yaml', text });
  const notices = converter.notices.map(({ line, object, text: said }) => `${line}: ${object}: ${said}`);
  return { file, text: fileText(file, undefined), notices, errors: converter.errors.map(({ message }) => message) };
}

const INGRESS = `# Leads to the shop.
---
# The shop has one name.
apiVersion: networking.k8s.io/v1beta1 # beta for now
kind: Ingress
metadata:
    name: "shop"   # as its service
    annotations:
        example.com/note: 'yes'

spec:
    # Whoever asks for another host
    backend:
        # the old page
        serviceName: page
        servicePort: 80 # plain
    rules:
        # the shop itself
        - host: shop.example.com
          http:
              paths:
                  - path: /   # everything
                    pathType: Prefix
                    backend: {serviceName: shop, servicePort: web} # by name
`;
const INGRESS_V1 = `# Leads to the shop.
---
# The shop has one name.
apiVersion: networking.k8s.io/v1 # beta for now
kind: Ingress
metadata:
    name: "shop"   # as its service
    annotations:
        example.com/note: 'yes'

spec:
    # Whoever asks for another host
    defaultBackend:
        # the old page
        # plain
        service:
            name: page
            port:
                number: 80
    rules:
        # the shop itself
        - host: shop.example.com
          http:
              paths:
                  - path: /   # everything
                    pathType: Prefix
                    backend: {service: {name: shop, port: {name: web}}} # by name
`;

const LAYOUT = `apiVersion: apps/v1beta1
kind: Deployment
metadata:
  name: web            # the name
  annotations:
    folded: >
      one
      two


spec:
  replicas:   2
  strategy:

    type: RollingUpdate
  template:
    metadata: { labels: { app: web,  tier: a } }
    spec:
      containers:
      - name: web          # c

        image:  web:1
        args: ["-a",   "b"]
        command:
        - |
          x
            y
# the end
`;
const LAYOUT_V1 = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web            # the name
  annotations:
    folded: >
      one
      two
  labels:
    app: web
    tier: a


spec:
  replicas:   2
  strategy:

    type: RollingUpdate
  template:
    metadata: { labels: { app: web,  tier: a } }
    spec:
      containers:
      - name: web          # c

        image:  web:1
        args: ["-a",   "b"]
        command:
        - |
          x
            y
  selector:
    matchLabels:
      app: web
      tier: a
  revisionHistoryLimit: 2
# the end
`;

const texts = suite('converted texts');
const CRON = 'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: c}\nspec: {schedule: "* * * * *"}\n';
const CRON_V1 = CRON.replace('v1beta1', 'v1');
const same: [name: string, text: string][] = [
  ['a kind of today', 'apiVersion:   v1\nkind: Service   # a\n\n\nmetadata: { name: a, }\n'],
  ['a kind that nobody knows', 'apiVersion: example.com/v1\nkind: Widget\nspec:\n      a:   1\n'],
  ['what has no kind', 'replicaCount:  1 # a value\n'],
  ['comments alone', '# nothing\n\n# here\n'],
  ['nothing', ''],
  ['documents that hold nothing', '---\n---\n# a\n---\n...\n'],
  ['JSON', '{ "apiVersion":"v1",\n\t"kind" :"Secret" }'],
  ['a list of today', 'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret}\n'],
  ['carriage returns', 'apiVersion: v1\r\nkind: Secret\r\n'],
  ['marks of documents within texts', 'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n    ---\n    apiVersion: batch/v1beta1\n    ...\n'],
];
for (const [name, text] of same) texts(`leave as they came: ${name}`, async () => assert.is((await convert(text)).text, text));

const changed: [name: string, text: string, becomes: string][] = [
  ['comments stay, and members keep their order', INGRESS, INGRESS_V1],
  ['members that come and change leave all other lines as they are', LAYOUT, LAYOUT_V1],
  ['where words alone change nothing else does', `${CRON}# end\n\n\n`, `${CRON_V1}# end\n\n\n`],
  ['a quoted word stays quoted', CRON.replace('batch/v1beta1', "'batch/v1beta1'   # q"), CRON.replace('batch/v1beta1', "'batch/v1'   # q")],
  ['documents between others change alone', `a:  1\n---\n${CRON}--- # next\nb:  2\n`, `a:  1\n---\n${CRON_V1}--- # next\nb:  2\n`],
  [
    'a document on the line of its mark',
    `--- {apiVersion: batch/v1beta1, kind:  CronJob}\n`,
    `--- {apiVersion: batch/v1, kind:  CronJob}\n`,
  ],
  ['directives', `%YAML 1.1\n---\n${CRON}`, `%YAML 1.1\n---\n${CRON_V1}`],
  ['a document behind the end of another', `a: 1\n...\n${CRON}`, `a: 1\n...\n${CRON_V1}`],
  ['a byte order mark', `\uFEFF${CRON}`, `\uFEFF${CRON_V1}`],
  ['carriage returns', CRON.replaceAll('\n', '\r\n'), CRON_V1.replaceAll('\n', '\r\n')],
  ['a text without a last line break', CRON.trimEnd(), CRON_V1.trimEnd()],
  [
    'JSON with its indentation, and numbers with all their digits',
    '{\n\t"apiVersion": "batch/v1beta1",\n\t"kind": "CronJob",\n\t"metadata": {\n\t\t"generation": 9007199254740993\n\t},\n\t"spec": {\n\t\t"schedule": "a"\n\t}\n}\n',
    '{\n\t"apiVersion": "batch/v1",\n\t"kind": "CronJob",\n\t"metadata": {\n\t\t"generation": 9007199254740993\n\t},\n\t"spec": {\n\t\t"schedule": "a"\n\t}\n}\n',
  ],
  [
    'JSON of which words alone change',
    '{ "apiVersion":"batch/v1beta1",   "kind":"CronJob" }',
    '{ "apiVersion":"batch/v1",   "kind":"CronJob" }',
  ],
  [
    'JSON texts behind each other',
    '{"apiVersion":"batch/v1beta1","kind":"CronJob"}\n{"apiVersion":"v1","kind":"Secret", "a}": "{"}\n',
    '{"apiVersion":"batch/v1","kind":"CronJob"}\n{"apiVersion":"v1","kind":"Secret", "a}": "{"}\n',
  ],
  [
    'an untyped list, with the layout of its items',
    `apiVersion: v1\nkind: List\nitems:\n  # first\n  - apiVersion: batch/v1beta1   # old\n    kind: CronJob\n  - apiVersion: v1\n    kind: Secret\n`,
    `apiVersion: v1\nkind: List\nitems:\n  # first\n  - apiVersion: batch/v1   # old\n    kind: CronJob\n  - apiVersion: v1\n    kind: Secret\n`,
  ],
  [
    'a list within a list',
    `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items: [{apiVersion: batch/v1beta1, kind: CronJob}]\n`,
    `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items: [{apiVersion: batch/v1, kind: CronJob}]\n`,
  ],
  [
    'a typed list goes where its items go, which need not say their kind',
    'apiVersion: policy/v1beta1 # list\nkind: PodDisruptionBudgetList\nitems:\n- metadata: {name: a} # one\n  spec: {minAvailable: 1}\n- apiVersion: policy/v1beta1\n  kind: PodDisruptionBudget\n  metadata: {name: b}\n',
    'apiVersion: policy/v1 # list\nkind: PodDisruptionBudgetList\nitems:\n- metadata: {name: a} # one\n  spec: {minAvailable: 1}\n- apiVersion: policy/v1\n  kind: PodDisruptionBudget\n  metadata: {name: b}\n',
  ],
  [
    'an empty typed list',
    'apiVersion: extensions/v1beta1\nkind: IngressList\nitems: []\n',
    'apiVersion: networking.k8s.io/v1\nkind: IngressList\nitems: []\n',
  ],
  [
    'spellings of quantities, numbers and nothing',
    'apiVersion: apps/v1beta2\nkind: DaemonSet\nmetadata: {name: d, creationTimestamp: null}\nspec:\n  minReadySeconds: 0x0A\n  selector: {matchLabels: {a: b}}\n  template:\n    spec:\n      hostNetwork: false\n      containers: [{name: a, image: a, resources: {limits: {cpu: 1000m}}}]\n      volumes: [{name: v, secret: {secretName: s, defaultMode: 0644}}]\nstatus: {}\n',
    'apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d, creationTimestamp: null}\nspec:\n  minReadySeconds: 0x0A\n  selector: {matchLabels: {a: b}}\n  template:\n    spec:\n      hostNetwork: false\n      containers: [{name: a, image: a, resources: {limits: {cpu: 1000m}}}]\n      volumes: [{name: v, secret: {secretName: s, defaultMode: 0644}}]\nstatus: {}\n',
  ],
  [
    'modes keep their spelling where the document is printed anew',
    'apiVersion: apps/v1beta1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n      containers: [{name: a, image: a}]\n      volumes: [{name: v, secret: {secretName: s, defaultMode: 0644}}]\n',
    'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\n  labels:\n    a: b\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n      containers: [{name: a, image: a}]\n      volumes: [{name: v, secret: {secretName: s, defaultMode: 0644}}]\n  revisionHistoryLimit: 2\n',
  ],
];
for (const [name, text, becomes] of changed)
  texts(name, async () => {
    const { text: got, errors } = await convert(text);
    assert.equal(errors, []);
    assert.is(got, becomes);
    assert.is((await convert(got)).text, got, 'what was converted stays');
  });
texts('anchors and aliases stay where they say the same', async () => {
  const text = `${CRON.replace('{name: c}', '&m {name: c}')}x: 1\n`.replace('x: 1\n', '');
  assert.is((await convert(text)).text, text.replace('v1beta1', 'v1'));
});
texts('a part that stands for others is written out where they would change with it', async () => {
  const text = `apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: a}
spec:
  backend: &b {serviceName: s, servicePort: 80}
  rules:
  - http: {paths: [{pathType: Exact, path: /a, backend: *b}]}
`;
  const { text: got, errors } = await convert(text);
  assert.equal(errors, []);
  const backend = { service: { name: 's', port: { number: 80 } } };
  assert.equal(parseYaml(got).value, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'a' },
    spec: { defaultBackend: backend, rules: [{ http: { paths: [{ pathType: 'Exact', path: '/a', backend }] } }] },
  });
});
texts('line breaks of Unicode that move are escaped', async () => {
  const { text, errors } = await convert(
    '---\napiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nspec:\n  backend: # b\n    serviceName: "a\\Lb"\n    servicePort: 80\n',
  );
  assert.equal(errors, []);
  const { spec } = parseYaml(text).value as { spec: unknown };
  assert.equal(spec, { defaultBackend: { service: { name: 'a\u2028b', port: { number: 80 } } } });
});
texts('merged maps are written out where they change', async () => {
  const text = `apiVersion: apps/v1beta1
kind: Deployment
metadata: {name: a, labels: &l {app: a}}
spec:
  selector: {matchLabels: {<<: *l}}
  template: {metadata: {labels: {<<: *l, b: c}}, spec: {containers: [{name: a, image: a}]}}
`;
  const { text: got, errors } = await convert(text);
  assert.equal(errors, []);
  const { apiVersion, spec } = parseYaml(got).value as { apiVersion: string; spec: { template: { metadata: unknown } } };
  assert.is(apiVersion, 'apps/v1');
  assert.equal(spec.template.metadata, { labels: { app: 'a', b: 'c' } });
});
texts('notices name the line of an object in a list', async () => {
  const { notices } = await convert(
    '# a\napiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n- apiVersion: policy/v1beta1\n  kind: PodDisruptionBudget\n  metadata: {name: b}\n  spec: {selector: {}}\n',
  );
  assert.is(notices.length, 1);
  assert.match(notices[0] as string, /^7: PodDisruptionBudget "b": spec\.selector: An empty selector/);
});
texts('unknown members are told and left out', async () => {
  const { text, notices } = await convert(`${CRON}extra: 2 # unknown\n`);
  assert.is(text, `${CRON_V1}# unknown\n`);
  assert.equal(notices, ['1: CronJob "c": extra: batch/v1beta1 has no such member: it is left out.']);
});
texts.run();

const targets = suite('targets of conversions');
const HPA =
  'apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\nspec: {maxReplicas: 2, scaleTargetRef: {kind: Deployment, name: d}}\n';
const wishes: [name: string, text: string, wish: Partial<typeof WISH> | { outputVersion: string }, apiVersion: string][] = [
  ['what is served stays', HPA, {}, 'autoscaling/v1'],
  ['what is served goes to the preferred version where that is asked for', HPA, { preferred: true }, 'autoscaling/v2'],
  ['the version that is asked for counts', HPA, { outputVersion: 'autoscaling/v2beta2' }, 'autoscaling/v2beta2'],
  ['a kind that the version does not have stays', HPA, { outputVersion: 'apps/v1' }, 'autoscaling/v1'],
  ['a kind that the version does not have goes where it is served', CRON, { outputVersion: 'apps/v1' }, 'batch/v1'],
  ['a release that serves it keeps it', CRON, { release: '1.24' }, 'batch/v1beta1'],
  ['a release that does not serve it yet gets the older version', HPA.replace('/v1\n', '/v2\n'), { release: '1.22' }, 'autoscaling/v1'],
  [
    'of several versions the one that the release prefers',
    'apiVersion: extensions/v1beta1\nkind: Ingress\nspec: {}\n',
    { release: '1.22' },
    'networking.k8s.io/v1',
  ],
  [
    'another group',
    'apiVersion: networking.k8s.io/v1\nkind: Ingress\nspec: {}\n',
    { outputVersion: 'extensions/v1beta1' },
    'extensions/v1beta1',
  ],
  [
    'events of the core group',
    'apiVersion: v1\nkind: Event\nmetadata: {name: e, namespace: shop}\ninvolvedObject: {namespace: shop}\n',
    { outputVersion: 'events.k8s.io/v1' },
    'events.k8s.io/v1',
  ],
  [
    'names of the other dialect',
    'apiVersion: networking.cluster.io/v1beta1\nkind: IngressClass\nmetadata: {name: a}\nspec: {controller: example.com/c}\n',
    {},
    'networking.cluster.io/v1',
  ],
];
for (const [name, text, wish, apiVersion] of wishes)
  targets(name, async () => {
    const { file, errors } = await convert(text, wish as Partial<typeof WISH>);
    assert.equal(errors, []);
    assert.is(file.documents[0]?.value?.apiVersion, apiVersion);
  });
targets('what no version serves stays, which is told', async () => {
  const text = 'apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: p}\n';
  const { text: got, notices } = await convert(text);
  assert.is(got, text);
  assert.match(
    notices.join('\n'),
    /^1: PodSecurityPolicy "p": Release 1\.32 serves PodSecurityPolicy in no version: .* No kind takes its place/,
  );
});
targets('a version that the release does not serve is told', async () => {
  const { notices } = await convert(CRON_V1, { outputVersion: 'batch/v1beta1' });
  assert.match(notices.join('\n'), /Release 1\.32 does not serve batch\/v1beta1 CronJob\./);
});
targets('members that an earlier release did not have are told', async () => {
  const text = CRON.replace('v1beta1', 'v1').replace('"}', '", timeZone: Etc/UTC}');
  const { file, notices } = await convert(text, { outputVersion: 'batch/v1beta1', release: '1.21' });
  assert.is(file.documents[0]?.value?.apiVersion, 'batch/v1beta1');
  assert.equal(notices, ['1: CronJob "c": spec.timeZone: Release 1.21 has no such member in batch/v1beta1: a server drops it.']);
});
targets('what the other version cannot say is told', async () => {
  const metric = '{type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1}}}';
  const text = HPA.replace('/v1\n', '/v2\n').replace('maxReplicas: 2', `maxReplicas: 2, metrics: [${metric}]`);
  const { text: got, notices } = await convert(text, { outputVersion: 'autoscaling/v1' });
  assert.match(got, /autoscaling\.alpha\.kubernetes\.io\/metrics: /);
  assert.match(
    notices.join('\n'),
    /metadata\.annotations\[autoscaling\.alpha\.kubernetes\.io\/metrics\]: The annotation keeps what autoscaling\/v1 has no member for\./,
  );
  assert.is(
    (parseYaml((await convert(got, { outputVersion: 'autoscaling/v2' })).text).value as { spec: { metrics: unknown[] } }).spec.metrics
      .length,
    1,
  );
});
targets.run();

const parts = suite('documents of a file');
const streams: [name: string, text: string, numbers: (number | undefined)[], lines: number[]][] = [
  ['are numbered where they hold something', '# a\n---\na: 1\n---\n# b\n---\nb: 1\n', [undefined, 1, undefined, 2], [1, 2, 4, 6]],
  ['end at a mark within a text', 'a: |\n  b\n--- \nc: 1\n', [1, 2], [1, 3]],
  ['do not end at other dashes', 'a: |\n  ---\nb: "---x"\n---x: 1\n', [1], [1]],
  ['are JSON texts', '{"a":1}\n\n{"b":"}{"}', [1, 2], [1, 3]],
];
for (const [name, text, numbers, lines] of streams)
  parts(name, () => {
    const documents = [...manifestDocuments({ name: 'a', text })];
    assert.equal(
      documents.map(({ value, number }) => (value === undefined ? undefined : number)),
      numbers,
    );
    assert.equal(
      documents.map(({ line }) => line),
      lines,
    );
    assert.is(documents.map((document) => document.text).join(''), text);
  });
parts.run();

const properties = suite('random objects of removed kinds');
const kinds = new KnownKinds(generated, 'kubernetes');
const OBJECTS = 8;
const pairs: [from: string, kind: string][] = [
  ['extensions/v1beta1', 'Deployment'],
  ['extensions/v1beta1', 'Ingress'],
  ['extensions/v1beta1', 'NetworkPolicy'],
  ['apps/v1beta1', 'StatefulSet'],
  ['apps/v1beta2', 'DaemonSet'],
  ['autoscaling/v2beta1', 'HorizontalPodAutoscaler'],
  ['autoscaling/v2beta2', 'HorizontalPodAutoscaler'],
  ['batch/v1beta1', 'CronJob'],
  ['policy/v1beta1', 'PodDisruptionBudget'],
  ['discovery.k8s.io/v1beta1', 'EndpointSlice'],
  ['admissionregistration.k8s.io/v1beta1', 'MutatingWebhookConfiguration'],
  ['apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition'],
  ['certificates.k8s.io/v1beta1', 'CertificateSigningRequest'],
  ['flowcontrol.apiserver.k8s.io/v1beta2', 'PriorityLevelConfiguration'],
  ['storage.k8s.io/v1beta1', 'CSIDriver'],
  ['rbac.authorization.k8s.io/v1alpha1', 'RoleBinding'],
];
for (const [apiVersion, kind] of pairs)
  properties(`${apiVersion} ${kind} means the same in the other version, and its text says so`, async () => {
    const from = await kinds.find(apiVersion, kind);
    const to = from && (await kinds.servedForm(from, '1.32'));
    assert.ok(from && to);
    const [source, target] = [await kinds.load(from), await kinds.load(to)];
    for (let seed = 0; seed < OBJECTS; seed++) {
      const written = { apiVersion, kind, ...randomObject(from.data.type, { seed, size: 4 * seed }) } as JsonObject;
      const meant = target.decode(through(source, target, source.decode(copyValue(written)).object)).object;
      const { value } = await convertObject(kinds, written, { from, to, withDefaults: false });
      assert.ok(deepEqual(target.decode(copyValue(value)).object, meant), `seed ${seed}: ${JSON.stringify(value)}`);
      for (const isJson of [false, true]) {
        const text = isJson ? JSON.stringify(written, null, 2) : yamlText(written);
        const { text: got } = rewritten({ text, isJson }, value);
        const said = isJson ? parseJson(got).value : parseYaml(got).value;
        assert.ok(deepEqual(said, parseJson(JSON.stringify(value)).value), `seed ${seed}: ${got}`);
      }
    }
  });
properties.run();
