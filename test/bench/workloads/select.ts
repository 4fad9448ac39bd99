/** Selections among many small config maps. */
import type { Bench } from '../bench.ts';
import { PERCENT_LABEL } from '../objects.ts';
import { fillWithConfigMaps } from './fill.ts';
import { listRow } from './list-row.ts';

const SELECTORS: readonly { readonly name: string; readonly selector: string }[] = [
  { name: 'nothing matches', selector: `${PERCENT_LABEL}=none` },
  { name: 'a label that 1% carry', selector: `${PERCENT_LABEL}=p07` },
  { name: 'in, 2% match', selector: `${PERCENT_LABEL} in (p07,p08)` },
  { name: '!=, nothing matches', selector: 'app!=bench' },
  { name: 'notin, nothing matches', selector: 'app notin (bench,other)' },
  { name: '!=, 99% match', selector: `${PERCENT_LABEL}!=p07` },
  { name: 'notin, 98% match', selector: `${PERCENT_LABEL} notin (p07,p08)` },
];

export async function measureSelect(bench: Bench): Promise<void> {
  const namespace = await bench.makeNamespace();
  await fillWithConfigMaps(bench, namespace, bench.options.configMaps);
  for (const { name, selector } of SELECTORS)
    await listRow(bench, 'select', `/api/v1/namespaces/${namespace}/configmaps`, {
      name: `${bench.options.configMaps.toLocaleString('en')} config maps: ${name}`,
      query: `?labelSelector=${encodeURIComponent(selector)}`,
      headers: { Accept: 'application/json' },
    });
}
