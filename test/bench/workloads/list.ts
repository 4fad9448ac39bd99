/** Lists of many pods, in the forms in which clients ask for them. */
import type { Bench } from '../bench.ts';
import { PERCENT_LABEL } from '../objects.ts';
import { fillWithPods } from './fill.ts';

const PAGE = 500;

interface ListCase {
  readonly name: string;
  readonly query: string;
  readonly accept: string;
  readonly paged?: boolean;
}

function casesOf({ groupDomain, mediaProduct }: Bench): ListCase[] {
  const json = 'application/json';
  const as = (transform: string) => `application/json;as=${transform};v=v1;g=meta.${groupDomain}`;
  return [
    { name: 'JSON', query: '', accept: json },
    { name: 'protobuf', query: '', accept: `application/vnd.${mediaProduct}.protobuf` },
    { name: 'Table', query: '', accept: as('Table') },
    { name: 'metadata only', query: '', accept: as('PartialObjectMetadataList') },
    { name: `pages of ${PAGE}, each`, query: `?limit=${PAGE}`, accept: json, paged: true },
    { name: 'a label that 1% carry', query: `?labelSelector=${PERCENT_LABEL}%3Dp07`, accept: json },
  ];
}

export async function measureList(bench: Bench): Promise<void> {
  const { target, load, options, report } = bench;
  const namespace = await bench.makeNamespace();
  await fillWithPods(bench, namespace, options.pods);
  for (const { name, query, accept, paged = false } of casesOf(bench)) {
    const path = `/api/v1/namespaces/${namespace}/pods${query}`;
    // the first one fills caches
    await load.run({ kind: 'lists', target, path, accept, paged, repeat: 1 });
    const { ms, slowestMs, bytes, megabytesPerSecond, failure } = await load.run({
      kind: 'lists',
      target,
      path,
      accept,
      paged,
      repeat: options.repeat,
    });
    const row = { workload: 'list', name: `${options.pods.toLocaleString('en')} pods: ${name}` };
    if (failure !== undefined) report({ ...row, note: `refused: ${failure.slice(0, 60)}` });
    else report({ ...row, p50Ms: ms, p99Ms: slowestMs, megabytesPerSecond, note: `${(bytes / 1e6).toFixed(1)} MB` });
  }
}
