/**
 * Aggregated discovery of a root of which other servers answer versions, or of which there are many. What they say of these is put into the document as it is, and the document is made
 * anew only where one of them says something else than before.
 */
import { createHash } from 'node:crypto';
import { BodyPieces } from '../connections/body-pieces.ts';
import type { GroupVersionData } from '../contract/kind.ts';
import { inTurns } from '../event-loop/turns.ts';
import {
  type AggregatedDocument,
  type AggregatedVersion,
  aggregatedContentType,
  type DiscoveryRoot,
  describeVersion,
  groupMetadata,
  groupsBelow,
  listMembers,
} from './aggregated.ts';
import { entityTag } from './entity-tag.ts';
import type { MaybePromise, RegistryView, RemoteVersionView, ResourcesText } from './registry-view.ts';

/** What other servers say of the versions that they answer; undefined: they do not say. */
type RemoteTexts = ReadonlyMap<GroupVersionData, ResourcesText | undefined>;

interface Made {
  readonly of: RemoteTexts;
  readonly document: MaybePromise<AggregatedDocument>;
}

export type Remotes = readonly [GroupVersionData, RemoteVersionView][];

export function remotesBelow(view: RegistryView, root: DiscoveryRoot): Remotes {
  if (view.remote === undefined) return [];
  return groupsBelow(view, root)
    .flat()
    .flatMap((each): [GroupVersionData, RemoteVersionView][] => {
      const remote = view.remote?.(each);
      return remote === undefined ? [] : [[each, remote]];
    });
}

/** Documents of what is served at the moment. */
export class RemoteAggregated {
  readonly #view: RegistryView;
  readonly #made = new Map<string, Made>();

  constructor(view: RegistryView) {
    // as it is now, whatever changes while others are asked
    this.#view = { ...view, groupVersions: view.groupVersions };
  }

  /** @param remotes of the root. The promise never rejects. */
  document(root: DiscoveryRoot, version: AggregatedVersion, remotes: Remotes): MaybePromise<AggregatedDocument> {
    const asked = remotes.map(([, remote]) => remote.resources());
    const made = (heard: readonly (ResourcesText | undefined)[]) =>
      this.#document(root, version, new Map(remotes.map(([of], index) => [of, heard[index]])));
    return asked.some((each) => each instanceof Promise) ? Promise.all(asked).then(made) : made(asked as (ResourcesText | undefined)[]);
  }

  #document(root: DiscoveryRoot, version: AggregatedVersion, texts: RemoteTexts): MaybePromise<AggregatedDocument> {
    const key = `${version} of ${root}`;
    const last = this.#made.get(key);
    if (last !== undefined && areSame(last.of, texts)) return last.document;
    const document = inTurns(documentSlices(this.#view, root, version, texts));
    this.#made.set(key, { of: texts, document });
    document.then((made) => {
      if (this.#made.get(key)?.document === document) this.#made.set(key, { of: texts, document: made });
    });
    return document;
  }
}

const areSame = (one: RemoteTexts, other: RemoteTexts): boolean =>
  one.size === other.size && [...other].every(([of, text]) => one.has(of) && one.get(of) === text);

/** Bytes of a body up to which it is one piece, and of a piece that is looked at in one go. */
const PIECE = 128 * 1024;

function* documentSlices(
  view: RegistryView,
  root: DiscoveryRoot,
  version: AggregatedVersion,
  texts: RemoteTexts,
): Generator<void, AggregatedDocument, void> {
  const pieces = new BodyPieces();
  const hash = createHash('sha512');
  for (const bytes of bodyPieces(view, root, version, texts))
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      hash.update(piece);
      pieces.bytes(piece);
      yield;
    }
  return {
    body: pieces.length > PIECE ? pieces : Buffer.concat(pieces.pieces),
    etag: entityTag(hash.digest('hex').toUpperCase()),
    contentType: aggregatedContentType(view, version),
  };
}

/** As `JSON.stringify` writes an `ApiGroupDiscoveryList`. */
function* bodyPieces(view: RegistryView, root: DiscoveryRoot, version: AggregatedVersion, texts: RemoteTexts): Generator<Buffer> {
  yield Buffer.from(`${JSON.stringify(listMembers(view, version)).slice(0, -1)},"items":[`);
  let comma = '';
  for (const versions of groupsBelow(view, root)) {
    if (versions.length === 0) continue;
    yield Buffer.from(`${comma}{"metadata":${JSON.stringify(groupMetadata(versions))},"versions":[`);
    comma = ',';
    for (const [index, each] of versions.entries()) {
      if (index > 0) yield Buffer.from(',');
      yield* texts.has(each) ? remoteVersion(each, texts.get(each)) : [Buffer.from(JSON.stringify(describeVersion(each)))];
    }
    yield Buffer.from(']}');
  }
  yield Buffer.from(']}\n');
}

/** Bytes of an empty list. */
const NONE = 2;

function* remoteVersion({ version }: GroupVersionData, text: ResourcesText | undefined): Generator<Buffer> {
  yield Buffer.from(`{"version":${JSON.stringify(version)}`);
  if (text !== undefined && text.length > NONE) {
    yield Buffer.from(',"resources":');
    yield Buffer.from(text.buffer, text.byteOffset, text.length);
  }
  yield Buffer.from(`,"freshness":"${text === undefined ? 'Stale' : 'Current'}"}`);
}
