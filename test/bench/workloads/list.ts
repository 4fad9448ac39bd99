/** Lists of many pods, in the forms in which clients ask for them: at rest, while pods change, and many at once. */
import type { Bench } from '../bench.ts';
import { ANNOTATION_PATCH, LISTED_POD_BYTES, PERCENT_LABEL, podName } from '../objects.ts';
import { requestText } from '../target.ts';
import { fillWithPods } from './fill.ts';
import { type ListCase, listRow } from './list-row.ts';

const PAGE = 500;
const JSON_FORM = { Accept: 'application/json' };

export async function measureList(bench: Bench): Promise<void> {
  const { options } = bench;
  const namespace = await bench.makeNamespace();
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await fillWithPods(bench, namespace, options.pods, LISTED_POD_BYTES);
  const all = `${options.pods.toLocaleString('en')} pods`;
  const forms = formsOf(bench);
  for (const form of [...forms, ...PARTS]) await listRow(bench, 'list', path, { ...form, name: `${all}: ${form.name}` });
  for (const form of forms)
    await whileChanging(bench, path, () =>
      listRow(bench, 'list', path, { ...form, name: `${options.changes} changes/s, ${all}: ${form.name}` }),
    );
  const many = { name: `${options.listsAtOnce} lists at once of ${all}`, headers: JSON_FORM, atOnce: options.listsAtOnce };
  await listRow(bench, 'list', path, many);
}

function formsOf({ groupDomain, mediaProduct }: Bench): ListCase[] {
  const as = (transform: string) => ({ Accept: `application/json;as=${transform};v=v1;g=meta.${groupDomain}` });
  return [
    { name: 'JSON', headers: JSON_FORM },
    { name: 'JSON, gzip', headers: { ...JSON_FORM, 'Accept-Encoding': 'gzip' } },
    { name: 'protobuf', headers: { Accept: `application/vnd.${mediaProduct}.protobuf` } },
    { name: 'Table', headers: as('Table') },
    { name: 'metadata only', headers: as('PartialObjectMetadataList') },
  ];
}

const PARTS: readonly ListCase[] = [
  { name: `pages of ${PAGE}, each`, query: `?limit=${PAGE}`, headers: JSON_FORM, paged: true },
  { name: 'a label that 1% carry', query: `?labelSelector=${PERCENT_LABEL}%3Dp07`, headers: JSON_FORM },
  { name: 'a node that 2% are on', query: '?fieldSelector=spec.nodeName%3Dnode-07', headers: JSON_FORM },
  { name: 'a label that none carries', query: `?labelSelector=${PERCENT_LABEL}%3Dnone`, headers: JSON_FORM },
];

/** Changes annotations of pods at a steady rate for as long as `work` may take. @throws Error when a change is refused */
async function whileChanging({ target, secondLoad, options }: Bench, path: string, work: () => Promise<void>): Promise<void> {
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const changing = secondLoad.run({
    kind: 'updates',
    target,
    request: requestText(target, 'PATCH', `${path}/${podName}`, ANNOTATION_PATCH, headers),
    objects: options.pods,
    perSecond: options.changes,
  });
  await work().finally(() => secondLoad.stop());
  const { failures } = await changing;
  if (failures > 0) throw new Error(`${failures} changes of pods were refused`);
}
