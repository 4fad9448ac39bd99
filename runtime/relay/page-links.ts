/**
 * Links in pages of HTML on their way to a client: those that a browser follows by itself, and those that a reader follows. A page knows nothing of the
 * proxy that it comes through, so that what it calls `/style.css` would be asked of this server.
 */
import { Transform } from 'node:stream';

/** @returns the link for the client, or the same where that stays as it is */
export type Relink = (link: string) => string;

/** Attributes that hold one link each, by the elements that have them, as far as 1.32 knows them. */
const LINKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['a', ['href']],
  ['applet', ['codebase']],
  ['area', ['href']],
  ['audio', ['src']],
  ['base', ['href']],
  ['blockquote', ['cite']],
  ['body', ['background']],
  ['button', ['formaction']],
  ['command', ['icon']],
  ['del', ['cite']],
  ['embed', ['src']],
  ['form', ['action']],
  ['frame', ['longdesc', 'src']],
  ['head', ['profile']],
  ['html', ['manifest']],
  ['iframe', ['longdesc', 'src']],
  ['img', ['longdesc', 'src', 'usemap']],
  ['input', ['src', 'usemap', 'formaction']],
  ['ins', ['cite']],
  ['link', ['href']],
  ['object', ['classid', 'codebase', 'data', 'usemap']],
  ['q', ['cite']],
  ['script', ['src']],
  ['source', ['src']],
  ['video', ['poster', 'src']],
]);

/** Elements in which nothing is a tag but their end. */
const TEXT_ALONE: ReadonlySet<string> = new Set(['iframe', 'noembed', 'noframes', 'script', 'style', 'textarea', 'title', 'xmp']);

/** Characters of a tag that is looked into: what is longer holds data rather than a link. */
const LONGEST_TAG = 64 * 1024;

/** Bytes as they come in, each as one character: all that has a meaning here is ASCII. */
const BYTES = 'latin1';

/** Of a page in UTF-8, or any other encoding in which ASCII is as it is. */
export function pageLinks(relink: Relink): Transform {
  const page = new Page(relink);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, Buffer.from(page.take(chunk.toString(BYTES)), BYTES)),
    flush: (done) => done(null, Buffer.from(page.end(), BYTES)),
  });
}

/** What stands at the beginning of the text: that many characters, which become `shown`; undefined: more has to come before that can be told. */
type Step = { readonly length: number; readonly shown: string } | undefined;

/** A tag of which more has to come. Places are counted from its beginning. */
interface Begun {
  /** where its next attribute begins */
  readonly next: number;
  /** up to where it is in `shown` */
  readonly copied: number;
  readonly shown: string;
}

class Page {
  readonly #relink: Relink;
  #rest = '';
  /** the tag that `#rest` begins with */
  #begun: Begun | undefined;
  /** the next place where tags begin again, while there are none: the end of a comment, or of an element of text alone */
  #until: { readonly end: RegExp; readonly longest: number } | undefined;

  constructor(relink: Relink) {
    this.#relink = relink;
  }

  /** @returns what can be told so far */
  take(text: string): string {
    this.#rest += text;
    const shown: string[] = [];
    let at = 0;
    while (at < this.#rest.length) {
      const step = this.#until === undefined ? this.#step(at) : this.#skip(at, this.#until);
      if (step === undefined) break;
      shown.push(step.shown);
      at += step.length;
    }
    this.#rest = this.#rest.slice(at);
    return shown.join('');
  }

  /** @returns what was not told yet */
  end(): string {
    return this.#rest;
  }

  #plain(at: number, length: number): Step {
    return { length, shown: this.#rest.slice(at, at + length) };
  }

  #skip(at: number, { end, longest }: { readonly end: RegExp; readonly longest: number }): Step {
    end.lastIndex = at;
    const found = end.exec(this.#rest);
    if (found === null) {
      // the end may have begun
      const length = this.#rest.length - at - longest + 1;
      return length > 0 ? this.#plain(at, length) : undefined;
    }
    this.#until = undefined;
    // an end without characters is one that stands before the next step
    return this.#plain(at, found.index + found[0].length - at);
  }

  #step(at: number): Step {
    const text = this.#rest;
    const mark = text.indexOf('<', at);
    if (mark !== at) return this.#plain(at, (mark < 0 ? text.length : mark) - at);
    if (text.startsWith(COMMENT, at)) {
      this.#until = { end: /--!?>/g, longest: 4 };
      return this.#plain(at, 2);
    }
    if (text.length - at < COMMENT.length && COMMENT.startsWith(text.slice(at))) return undefined;
    TAG.lastIndex = at;
    const name = TAG.exec(text)?.[1];
    return name === undefined ? this.#plain(at, 1) : this.#tag(at, name.toLowerCase());
  }

  /** Each attribute is read once, but for the last two: a tag may come in any number of pieces, and what looks like an attribute alone may have its value yet to come. */
  #tag(at: number, name: string): Step {
    const links = LINKS.get(name) ?? [];
    const text = this.#rest;
    let now: Begun = this.#begun ?? { next: 1 + name.length, copied: 0, shown: '' };
    let before = now;
    this.#begun = undefined;
    for (;;) {
      ATTRIBUTE.lastIndex = at + now.next;
      const [whole, key, value] = ATTRIBUTE.exec(text) as unknown as [string, string | undefined, string | undefined];
      const next = now.next + whole.length;
      if (at + next >= text.length) return this.#unfinished(at, 1 + name.length, before);
      before = now;
      now = { ...now, next };
      if (key === undefined) break;
      if (value === undefined || !links.includes(key.toLowerCase())) continue;
      const linked = this.#linked(value);
      if (linked === value) continue;
      now = { next, copied: next, shown: now.shown + text.slice(at + now.copied, at + next - value.length) + linked };
    }
    const length = now.next + 1;
    const shown = now.shown + text.slice(at + now.copied, at + length);
    if (TEXT_ALONE.has(name)) this.#until = { end: new RegExp(`(?=</${name}[\\s/>])`, 'gi'), longest: name.length + 3 };
    return { length, shown };
  }

  /** @param first where attributes begin, unless the name has not ended either */
  #unfinished(at: number, first: number, begun: Begun): Step {
    const length = this.#rest.length - at;
    if (length > LONGEST_TAG) return { length, shown: begun.shown + this.#rest.slice(at + begun.copied) };
    if (begun.next > first) this.#begun = begun;
    return undefined;
  }

  /** @param value as it stands there, with its quotes */
  #linked(value: string): string {
    const quote = QUOTES.has(value[0] as string) ? (value[0] as string) : '';
    const link = decoded(quote === '' ? value : value.slice(1, -1));
    const linked = this.#relink(link);
    return linked === link ? value : `"${linked.replace(/["<>]/g, (character) => `&#${character.charCodeAt(0)};`)}"`;
  }
}

const COMMENT = '<!--';
const QUOTES: ReadonlySet<string> = new Set(['"', "'"]);
const TAG = /<([a-z][^\s/>]*)/giy;
/** One attribute with its value, if any, and what stands before it; at the end of a tag only that. A value that has not ended reaches to the end of the text. */
const ATTRIBUTE = /[\s/]*(?:([^\s/>][^\s/>=]*)(?:\s*=\s*("[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'>][^\s>]*|$))?)?/y;

/** Characters that stand there by their numbers, but for what begins such: that stays, and what it begins with it. */
function decoded(value: string): string {
  return value.replace(/&#(?:x([\da-f]{1,2})|(\d{1,3}));/gi, (written, hexadecimal, decimal) => {
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code > 31 && code < 127 && code !== AMPERSAND ? String.fromCharCode(code) : written;
  });
}

const AMPERSAND = 38;
