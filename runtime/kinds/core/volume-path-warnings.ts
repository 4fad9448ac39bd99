/** What is said of the files of a volume that would lie in each other's place: the later one wins, or the volume cannot be made. */
import type { Struct } from '../struct.ts';

interface File {
  readonly path: string;
  /** what the file comes from, where the volume has several sources; else empty */
  readonly source: string;
}

/** Sources whose `items` are files; each with what names it. */
const LISTS: readonly (readonly [member: string, describe: (source: Struct) => string])[] = [
  ['configMap', ({ name = '' }) => `ConfigMap ${JSON.stringify(name)}`],
  ['secret', ({ secretName, name = '' }) => `Secret ${JSON.stringify(secretName ?? name)}`],
  ['downwardAPI', () => 'DownwardAPI'],
];

export function volumePathWarnings(volume: Struct): string[] {
  const name = JSON.stringify(volume.name ?? '');
  const say = (source: string, texts: readonly string[]): string[] =>
    texts.map((text) => `volume ${name} (${source}): overlapping paths: ${text}`);
  const files: File[] = [];
  return [
    ...LISTS.flatMap(([member, describe]) =>
      volume[member] === undefined ? [] : say(describe(volume[member]), overlaps(itemsOf(volume[member], ''), [])),
    ),
    ...((volume.projected?.sources ?? []) as readonly Struct[]).flatMap((source) =>
      Object.keys(source).length === 0
        ? [`volume ${name} (Projected) has no sources provided`]
        : say('Projected', overlaps(filesOf(source), files)),
    ),
  ];
}

/** The first kind of source that is there. */
function filesOf(source: Struct): File[] {
  for (const [member, describe] of LISTS) if (source[member]?.items !== undefined) return itemsOf(source[member], describe(source[member]));
  const { serviceAccountToken: token, clusterTrustBundle: bundle } = source;
  if (token !== undefined) return [{ path: token.path ?? '', source: 'ServiceAccountToken' }];
  if (bundle === undefined) return [];
  return [{ path: bundle.path ?? '', source: `ClusterTrustBundle ${JSON.stringify(bundle.name ?? bundle.signerName ?? '')}` }];
}

function itemsOf({ items }: Struct, source: string): File[] {
  return ((items ?? []) as readonly Struct[]).map(({ path = '' }) => ({ path, source }));
}

/**
 * One text for each pair of files of which one lies at, above or below the path of the other.
 * @param known files that are there already; the new ones are added to it
 */
function overlaps(files: readonly File[], known: File[]): string[] {
  return files.flatMap(({ path, source }) => {
    const file: File = { path: path.replace(/\/+$/, ''), source };
    const others = known.filter((other) => file.path !== '' && other.path !== '' && overlap(`${file.path}/`, `${other.path}/`));
    known.push(file);
    return others.map((other) => `${shown(file)} with ${shown(other)}`);
  });
}

function overlap(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

function shown({ path, source }: File): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
