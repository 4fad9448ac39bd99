/**
 * Content negotiation: what the Accept header asks for, held against what a resource can be had in
 * (specification: Media types and headers). Compiled once per header text and kept, for clients repeat themselves.
 */
import type { Identity } from '../contract/identity.ts';
import { AGGREGATED_KIND } from '../discovery/aggregated.ts';
import { newNotAcceptable, newNotAcceptablePlain } from '../status/status.ts';
import { parseAccept } from './accept-header.ts';
import { mediaTypeOf } from './media-type.ts';

export type Encoding = 'json' | 'yaml' | 'protobuf' | 'cbor';
export type Transform = 'none' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

export interface Negotiated {
  readonly encoding: Encoding;
  readonly transform: Transform;
  /** version of the transform's group `meta.<group domain>`: v1 or v1beta1 */
  readonly transformVersion: string;
  readonly pretty: boolean;
}

/**
 * What a path can be had as: as any kind of answer, as all but a Table, or only as what it is; at `/api`, `/apis` and groups below it any wildcard is JSON. Custom
 * objects have no binary form, but their metadata have; and 1.32 looks at the header once for them, where it looks twice for its own kinds. The names of
 * the server's own resources are had as these are, in CBOR too; other documents of discovery are not.
 */
export type Offer = 'all' | 'noTables' | 'itself' | 'resources' | 'root' | 'custom' | 'customNoTables';

/** A form of aggregated discovery. */
export interface AggregatedForm {
  readonly encoding: Exclude<Encoding, 'cbor'>;
  readonly version: 'v2' | 'v2beta1';
  readonly pretty: boolean;
}

/** 1.32 has one message for media types that it does not know, and another for transforms of types that it does. */
type Refusal = 'unknownType' | 'unknownTransform';

const DEFAULT: Negotiated = { encoding: 'json', transform: 'none', transformVersion: '', pretty: false };
const INDENTED: Negotiated = { ...DEFAULT, pretty: true };
/** Headers that are remembered at most. */
const CACHED_HEADERS = 1_000;
/** Characters of a header that is kept: clients may send a megabyte. */
const CACHED_LENGTH = 1_000;
/** Parameters that ask for another kind than the resource's own. */
const CONVERSION = ['as', 'g', 'v'] as const;
/** Takes JSON like any other wildcard, but only beside a type that is named in full, or beside the full wildcard. */
const PARTLY_ANY = 'application/*';
/** The only version of the server's own kinds, which the parameter `sv` may name. */
const SERVER_VERSION = 'v1';
const CBOR = 'application/cbor';
/** Of watches: one document after the other (RFC 8742). It is what they are answered in, not what they are asked for. */
const CBOR_SEQUENCE = 'application/cbor-seq';

export interface NegotiatorOptions {
  /** whether CBOR is spoken, as of the feature gate CBORServingAndStorage */
  readonly cbor?: boolean;
}

export class Negotiator {
  /** as its feature gate says */
  readonly speaksCbor: boolean;
  readonly #protobufType: string;
  readonly #metaGroup: string;
  readonly #discoveryGroup: string;
  readonly #yaml: boolean;
  readonly #caches: Readonly<Record<Offer, Map<string, Negotiated | Refusal>>> = {
    all: new Map(),
    noTables: new Map(),
    itself: new Map(),
    resources: new Map(),
    root: new Map(),
    custom: new Map(),
    customNoTables: new Map(),
  };

  constructor(identity: Identity, { cbor = false }: NegotiatorOptions = {}) {
    this.#protobufType = identity.text('application/vnd.${mediaProduct}.protobuf');
    this.#metaGroup = identity.text('meta.${groupDomain}');
    this.#discoveryGroup = identity.text('apidiscovery.${groupDomain}');
    this.#yaml = identity.yaml;
    this.speaksCbor = cbor;
  }

  /** Media types of single objects and lists, for error messages: 1.32's list, which a dialect without YAML keeps as it is. */
  available(watch: boolean, offer: Offer = 'all'): string[] {
    const plain = ['application/json', 'application/yaml', this.#protobufType, ...(this.speaksCbor && hasCbor(offer) ? [CBOR] : [])];
    return watch ? [...plain, ...this.streamable()] : plain;
  }

  /** Media types of watches. */
  streamable(): string[] {
    return ['application/json;stream=watch', `${this.#protobufType};stream=watch`, ...(this.speaksCbor ? [CBOR_SEQUENCE] : [])];
  }

  contentType(negotiated: Negotiated): string {
    return this.#typeOf(negotiated.encoding);
  }

  #typeOf(encoding: Encoding): string {
    if (encoding === 'protobuf') return this.#protobufType;
    return encoding === 'cbor' ? CBOR : `application/${encoding}`;
  }

  streamContentType({ encoding }: Negotiated): string {
    if (encoding === 'protobuf') return `${this.#protobufType};stream=watch`;
    return encoding === 'cbor' ? CBOR_SEQUENCE : 'application/json';
  }

  /** @returns undefined for a Content-Type header that names no encoding of bodies, or cannot be read */
  encodingOf(contentType: string): Encoding | undefined {
    if (contentType === '' || contentType === 'application/json') return 'json';
    const type = mediaTypeOf(contentType);
    if (type === 'application/json') return 'json';
    return this.#unusualEncoding(type);
  }

  #unusualEncoding(type: string | undefined): Encoding | undefined {
    if (type === this.#protobufType) return 'protobuf';
    if (type === CBOR && this.speaksCbor) return 'cbor';
    return type === 'application/yaml' && this.#yaml ? 'yaml' : undefined;
  }

  /**
   * @param accept the Accept header, undefined or empty for none
   * @param many lists and watches, which say in a 406 that they can be streamed
   * @param offer 1.32 has no Tables of streaming lists and of most subresources, and documents of discovery only as what they are
   * @throws StatusError NotAcceptable
   */
  negotiate(accept: string | undefined, many: boolean, offer: Offer = 'all'): Negotiated {
    if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return DEFAULT;
    const cache = this.#caches[offer];
    let found = cache.get(accept);
    if (found === undefined) {
      found = this.#choose(accept, offer);
      if (cache.size >= CACHED_HEADERS) cache.clear();
      if (accept.length <= CACHED_LENGTH) cache.set(accept, found);
    }
    if (found === 'unknownType' && !isCustom(offer)) throw newNotAcceptable(this.available(many, offer));
    if (typeof found === 'string') throw newNotAcceptablePlain(this.available(false, offer));
    return found;
  }

  /**
   * What leaves as it comes, in a type of its own, has to be asked for as an object would be: in 1.32 `Accept: text/plain` alone reads no log.
   * @param own the media type in which it leaves. @throws StatusError NotAcceptable
   */
  requireStream(accept: string | undefined, own: string): void {
    if (accept === undefined || accept === '' || accept === '*/*') return;
    const found = this.#choose(accept, 'noTables');
    if (typeof found !== 'string') return;
    const namesOwn = parseAccept(accept).some(({ type }) => type === own);
    if (found === 'unknownType' && !namesOwn) throw newNotAcceptable([own, ...this.available(false)]);
    throw newNotAcceptablePlain(this.available(false));
  }

  /**
   * The encoding that errors are written in: what the header asks for as it is, JSON where it asks for nothing that we have so, which is
   * then indented, as in 1.32.
   * @param ofResource whether it is a resource that refuses: in 1.32 what stands before resources has no CBOR
   */
  forErrors(accept: string | undefined, ofResource: boolean): Negotiated {
    if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return DEFAULT;
    for (const { type, parameters } of parseAccept(accept)) {
      const encoding = this.#encodingOfClause(type);
      if (encoding === undefined || (encoding === 'cbor' && !ofResource) || (parameters.sv ?? '') !== '') continue;
      if (this.#transformOf(parameters)?.transform !== 'none') continue;
      return { ...DEFAULT, encoding, pretty: parameters.pretty === '1' };
    }
    return INDENTED;
  }

  /** The preferred form of aggregated discovery in the Accept header, whatever else it prefers; undefined where it takes none. */
  aggregatedForm(accept: string): AggregatedForm | undefined {
    for (const { type, parameters } of parseAccept(accept)) {
      const { as, g: group, v: version, stream = '', sv = '' } = parameters;
      const encoding = this.#encodingOfClause(type);
      const isKnown = as === AGGREGATED_KIND && group === this.#discoveryGroup && (stream === '' || stream === 'watch') && sv === '';
      if (encoding !== undefined && encoding !== 'cbor' && isKnown && (version === 'v2' || version === 'v2beta1'))
        return { encoding, version, pretty: parameters.pretty === '1' };
    }
    return undefined;
  }

  #choose(accept: string, offer: Offer): Negotiated | Refusal {
    const clauses = parseAccept(accept);
    const takesPartlyAny = offer === 'root' || isCustom(offer);
    const encodingOf = (type: string): Encoding | undefined => {
      const encoding = this.#encodingOfClause(type);
      return encoding === 'cbor' && !hasCbor(offer) ? undefined : encoding;
    };
    const names = (type: string): boolean => (type !== PARTLY_ANY || takesPartlyAny) && encodingOf(type) !== undefined;
    // the first look at the header of 1.32's own kinds reads types as they are written
    if (!clauses.some(({ type, written }) => names(takesPartlyAny ? type : written))) return 'unknownType';
    for (const clause of clauses) {
      const encoding = encodingOf(clause.type);
      if (encoding === undefined) continue;
      const transform = this.#transformOf(clause.parameters);
      if (transform === undefined) continue;
      if (isItself(offer) && (transform.transform !== 'none' || (clause.parameters.sv ?? '') !== '')) continue;
      // A Table has no binary form.
      if (
        transform.transform === 'Table' &&
        (encoding === 'protobuf' || encoding === 'cbor' || offer === 'noTables' || offer === 'customNoTables')
      )
        continue;
      if (encoding === 'protobuf' && transform.transform === 'none' && isCustom(offer)) continue;
      return { encoding, ...transform, pretty: clause.parameters.pretty === '1' };
    }
    return 'unknownTransform';
  }

  #encodingOfClause(type: string): Encoding | undefined {
    return type === '*/*' || type === PARTLY_ANY || type === 'application/json' ? 'json' : this.#unusualEncoding(type);
  }

  #transformOf(parameters: Readonly<Record<string, string>>): Pick<Negotiated, 'transform' | 'transformVersion'> | undefined {
    const { as, stream = '', sv = '' } = parameters;
    if ((stream !== '' && stream !== 'watch') || (sv !== '' && sv !== SERVER_VERSION)) return undefined;
    if (!CONVERSION.some((name) => name in parameters)) return { transform: 'none', transformVersion: '' };
    if (parameters.g !== this.#metaGroup || (parameters.v !== 'v1' && parameters.v !== 'v1beta1')) return undefined;
    if (as !== 'Table' && as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return undefined;
    return { transform: as, transformVersion: parameters.v };
  }
}

/** Whether there is no other kind of answer. */
function isItself(offer: Offer): boolean {
  return offer === 'itself' || offer === 'resources' || offer === 'root';
}

function hasCbor(offer: Offer): boolean {
  return offer !== 'itself' && offer !== 'root';
}

function isCustom(offer: Offer): boolean {
  return offer === 'custom' || offer === 'customNoTables';
}
