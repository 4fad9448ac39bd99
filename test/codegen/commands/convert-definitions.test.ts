/** Objects of custom kinds, whose definitions are given. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ManifestChecker } from '../../../codegen/convert/check-manifests.ts';
import { checkText } from '../../../codegen/convert/check-report.ts';
import { type ConversionWish, ManifestConverter } from '../../../codegen/convert/convert-manifests.ts';
import { loadGeneratedKinds } from '../../../codegen/convert/known-kinds.ts';
import { ManifestError } from '../../../codegen/convert/manifest-error.ts';
import { ManifestKinds } from '../../../codegen/convert/manifest-kinds.ts';
import { fileText } from '../../../codegen/convert/output.ts';

const generated = await loadGeneratedKinds(path.join(import.meta.dirname, '../../..'));
const folder = mkdtempSync(path.join(tmpdir(), 'convert-definitions-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const version = (name: string, parts: object = {}, spec: object = { a: { type: 'string' } }) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } } },
  ...parts,
});
const definition = (spec: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      version('v1alpha1', { served: false }),
      version('v1beta1', { deprecated: true }),
      version('v1', { storage: true }),
      version('v2'),
    ],
    ...spec,
  },
});

let count = 0;
/** @param stated a definition, or the text of a file */
async function kindsOf(stated: object | string): Promise<ManifestKinds> {
  const file = path.join(folder, `${++count}.yaml`);
  writeFileSync(file, typeof stated === 'string' ? stated : JSON.stringify(stated));
  const kinds = new ManifestKinds(generated, 'kubernetes');
  await kinds.define([file]);
  return kinds;
}

async function convert(stated: object, text: string, wish: Partial<ConversionWish> = {}) {
  const converter = new ManifestConverter(await kindsOf(stated), {
    outputVersion: undefined,
    release: '1.32',
    preferred: false,
    withDefaults: false,
    ...wish,
  });
  const file = await converter.convertFile({ name: 'a.yaml', path: 'a.yaml', relative: 'a.yaml', text });
  return {
    text: fileText(file, undefined),
    notices: converter.notices.map((each) => each.text),
    errors: converter.errors.map(({ message }) => message),
  };
}

const widget = (name: string, spec = '{a: x}') =>
  `apiVersion: example.com/${name} # its version\nkind: Widget\nmetadata: {name: w}\nspec:   ${spec}\n`;

const converted = suite('custom resources');
const rows: [name: string, from: string, wish: Partial<ConversionWish>, to: string][] = [
  ['of a version that is not served go to the stored one', 'v1alpha1', {}, 'v1'],
  ['of a version that is served stay', 'v2', {}, 'v2'],
  ['of a deprecated version stay', 'v1beta1', {}, 'v1beta1'],
  ['go to the stored version where the preferred one is asked for', 'v1beta1', { preferred: true }, 'v1'],
  ['go to the version that is asked for', 'v1', { outputVersion: 'example.com/v2' }, 'v2'],
  ['stay where a version of another group is asked for', 'v1', { outputVersion: 'apps/v1' }, 'v1'],
];
for (const [name, from, wish, to] of rows)
  converted(name, async () => {
    const { text, notices, errors } = await convert(definition(), widget(from), wish);
    assert.equal(errors, []);
    assert.equal(notices, []);
    assert.is(text, widget(to));
  });
converted('of a typed list go with it', async () => {
  const list = (name: string) =>
    `apiVersion: example.com/${name}\nkind: WidgetList\nitems:\n- metadata: {name: a}\n- {apiVersion: example.com/${name}, kind: Widget}\n`;
  assert.is((await convert(definition(), list('v1alpha1'))).text, list('v1'));
});
converted('are told of members that the schema of the other version drops or misses', async () => {
  const stated = definition({
    versions: [
      version('v1', { storage: true }),
      version('v2', {
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec', 'metadata'],
            properties: {
              spec: {
                type: 'object',
                required: ['b', 'c', 'd'],
                properties: {
                  b: { type: 'string' },
                  c: { type: 'string', default: 'c' },
                  d: { type: 'array', items: { type: 'object', properties: { e: { type: 'string' } } } },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  map: { type: 'object', additionalProperties: { type: 'object', properties: { v: {} } } },
                },
              },
            },
          },
        },
      }),
    ],
  });
  const { notices } = await convert(stated, widget('v1', '{a: x, d: [{e: x, f: x}, {f: x}], free: {x: y}, map: {k: {v: 1, w: 2}}}'), {
    outputVersion: 'example.com/v2',
  });
  assert.equal(notices, [
    'spec.a and 3 more: example.com/v2 has no such member: a server drops it.',
    'spec.b: example.com/v2 requires this member.',
  ]);
});
converted('of definitions of v1beta1 are known too', async () => {
  const stated = {
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true },
        { name: 'v1beta1', served: false, storage: false },
      ],
    },
  };
  assert.is((await convert(stated, widget('v1beta1'))).text, widget('v1'));
});
converted('that a webhook converts are refused', async () => {
  const stated = definition({
    conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a.example.com' }, conversionReviewVersions: ['v1'] } },
  });
  const { text, errors } = await convert(stated, widget('v1alpha1'));
  assert.is(text, widget('v1alpha1'));
  assert.equal(errors, [
    'a.yaml:1: Widget "w": widgets.example.com is converted by a webhook, which only a server asks: create the object there in v1alpha1 and get it in v1.',
  ]);
  assert.equal((await convert(stated, widget('v1'))).errors, [], 'what stays needs no webhook');
});
converted('of a version that the definition does not have are refused', async () => {
  const { errors } = await convert(definition(), widget('v3'));
  assert.equal(errors, ['a.yaml:1: Widget "w": widgets.example.com has no version v3, only v1alpha1, v1beta1, v1, v2.']);
});
converted('stay where no version is served', async () => {
  const { text, notices } = await convert(definition({ versions: [version('v1', { served: false, storage: true })] }), widget('v1'));
  assert.is(text, widget('v1'));
  assert.equal(notices, ['widgets.example.com serves no version, and it stays as it is.']);
});
converted('are checked in typed lists, whose objects do not say what they are', async () => {
  const checker = new ManifestChecker(await kindsOf(definition()), '1.32');
  const item = { metadata: { name: 'one' } };
  const text = JSON.stringify({ apiVersion: 'example.com/v1beta1', kind: 'WidgetList', metadata: {}, items: [item] });
  await checker.checkFile({ name: 'a.json', path: 'a.json', relative: 'a.json', text });
  const { findings, unknown } = checker.result;
  assert.equal(
    findings.map(({ object, standing }) => [object, standing]),
    [['Widget "one"', 'deprecated']],
  );
  assert.equal([...unknown.keys()], []);
});
converted('are defined in a folder that has other files as well', async () => {
  const place = mkdtempSync(path.join(folder, 'config-'));
  writeFileSync(path.join(place, 'crd.json'), JSON.stringify(definition()));
  writeFileSync(path.join(place, 'kustomization.yaml'), 'resources: [crd.json]\n');
  const kinds = new ManifestKinds(generated, 'kubernetes');
  await kinds.define([place]);
  assert.ok(kinds.hasGroupVersion('example.com/v1'));
  rmSync(path.join(place, 'crd.json'));
  const error = await new ManifestKinds(generated, 'kubernetes').define([place]).catch((thrown: unknown) => thrown);
  assert.instance(error, ManifestError);
  assert.match((error as ManifestError).problem, 'it has no CustomResourceDefinition');
});
converted('are checked: what is not served, and what is deprecated', async () => {
  const checker = new ManifestChecker(await kindsOf(definition()), '1.32');
  await checker.checkFile({
    name: 'a.yaml',
    path: 'a.yaml',
    relative: 'a.yaml',
    text: ['v1alpha1', 'v1beta1', 'v1'].map((name) => widget(name)).join('---\n'),
  });
  assert.equal(checkText(checker.result, '1.32').split('\n'), [
    'a.yaml:1: document 1: example.com/v1alpha1 Widget "w" is not served; use example.com/v1 Widget.',
    'a.yaml:6: document 2: example.com/v1beta1 Widget "w" is deprecated; use example.com/v1 Widget. example.com/v1beta1 Widget is deprecated.',
    '3 objects in 1 file, by release 1.32: 1 not served any more, 1 deprecated.',
  ]);
});
const wrong: [name: string, text: string, message: RegExp][] = [
  ['files without a definition', 'apiVersion: v1\nkind: Secret\n', /it has no CustomResourceDefinition\.$/],
  [
    'definitions of unknown versions',
    'apiVersion: apiextensions.k8s.io/v7\nkind: CustomResourceDefinition\n',
    /:1: a CustomResourceDefinition of apiextensions\.k8s\.io\/v7 is not known\.$/,
  ],
  [
    'definitions without versions',
    JSON.stringify(definition({ versions: [] })),
    /:1: the definition needs spec\.group, spec\.names\.kind and spec\.versions\.$/,
  ],
  [
    'a definition that is there twice',
    `${JSON.stringify(definition())}\n${JSON.stringify(definition())}`,
    /:2: widgets\.example\.com is defined twice\.$/,
  ],
];
for (const [name, text, message] of wrong)
  converted(`are not known by ${name}`, async () => {
    try {
      await kindsOf(text);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, ManifestError);
      assert.match((error as Error).message, message);
    }
  });
converted.run();
