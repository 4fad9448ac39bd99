/** What is said of the files of a volume that would lie in each other's place: the later one wins, or the volume cannot be made. */

import type { Volume, VolumeProjection } from '../../../../generated/core/v1/types.ts';
import { goQuote } from '../../../go-text/quote.ts';
import { trimRight } from '../../../go-text/trim-right.ts';

interface File {
  readonly path: string;
  /** what the file comes from, where the volume has several sources; else empty */
  readonly source: string;
}

/** What sources whose `items` are files have, in a volume and in a projected one. */
interface ItemsSource {
  readonly name?: string;
  readonly secretName?: string;
  readonly items?: readonly { readonly path: string }[];
}

/** Each with what names it. */
const LISTS: readonly (readonly [member: 'configMap' | 'secret' | 'downwardAPI', describe: (source: ItemsSource) => string])[] = [
  ['configMap', ({ name = '' }) => `ConfigMap ${goQuote(name)}`],
  ['secret', ({ secretName, name = '' }) => `Secret ${goQuote(secretName ?? name)}`],
  ['downwardAPI', () => 'DownwardAPI'],
];

export function volumePathWarnings(volume: Volume): string[] {
  const name = goQuote(volume.name);
  const say = (source: string, texts: readonly string[]): string[] =>
    texts.map((text) => `volume ${name} (${source}): overlapping paths: ${text}`);
  const projected = new Overlaps();
  return [
    ...LISTS.flatMap(([member, describe]) => {
      const source: ItemsSource | undefined = volume[member];
      return source === undefined ? [] : say(describe(source), new Overlaps().add(itemsOf(source, '')));
    }),
    ...(volume.projected?.sources ?? []).flatMap((source) =>
      Object.keys(source).length === 0
        ? [`volume ${name} (Projected) has no sources provided`]
        : say('Projected', projected.add(filesOf(source))),
    ),
  ];
}

/** The first kind of source that is there. */
function filesOf(source: VolumeProjection): File[] {
  for (const [member, describe] of LISTS) {
    const items: ItemsSource | undefined = source[member];
    if (items?.items !== undefined) return itemsOf(items, describe(items));
  }
  const { serviceAccountToken: token, clusterTrustBundle: bundle } = source;
  if (token !== undefined) return [{ path: token.path, source: 'ServiceAccountToken' }];
  if (bundle === undefined) return [];
  return [{ path: bundle.path, source: `ClusterTrustBundle ${goQuote(bundle.name ?? bundle.signerName ?? '')}` }];
}

function itemsOf({ items = [] }: ItemsSource, source: string): File[] {
  return items.map(({ path }) => ({ path, source }));
}

/** Files of a volume that are looked at: each is compared with all before it. */
const MAX_FILES = 1_000;
/** Of different texts more than an answer has room for. */
const MAX_TEXTS = 100;

/** The files of one volume, and what was said of them. */
class Overlaps {
  readonly #known = new Map<string, { readonly prefix: string; readonly shown: string }>();
  readonly #texts = new Set<string>();
  #files = 0;

  /** @returns one text for each pair of files of which one lies at, above or below the path of the other, and that was not told before */
  add(files: readonly File[]): string[] {
    return files.flatMap((file) => this.#add(file));
  }

  #add({ path, source }: File): string[] {
    const trimmed = trimRight(path, '/');
    if (trimmed === '' || this.#files >= MAX_FILES || this.#texts.size >= MAX_TEXTS) return [];
    this.#files++;
    const file = { prefix: `${trimmed}/`, shown: shown({ path: trimmed, source }) };
    const before = this.#texts.size;
    for (const other of this.#known.values()) if (overlap(file.prefix, other.prefix)) this.#texts.add(`${file.shown} with ${other.shown}`);
    this.#known.set(file.shown, file);
    return [...this.#texts].slice(before);
  }
}

function overlap(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

function shown({ path, source }: File): string {
  return source === '' ? goQuote(path) : `${goQuote(path)} (${source})`;
}
