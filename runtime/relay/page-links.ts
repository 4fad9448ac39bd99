/**
 * Rewrites links in HTML pages on their way from a backend to a client. A page does not know of the proxy that it comes through: without this, a
 * browser would ask this server itself for what the page calls `/style.css`.
 */
import { Transform } from 'node:stream';

/** @returns the link for the client, or the same text if the link needs no change */
export type Relink = (link: string) => string;

/** Attributes that hold one link each, by element, as in 1.32. */
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

/** Elements whose content is text: only their end tag is a tag in them. */
const TEXT_ALONE: ReadonlySet<string> = new Set(['iframe', 'noembed', 'noframes', 'script', 'style', 'textarea', 'title', 'xmp']);

/** Most characters of a tag whose links are rewritten. A longer one passes unchanged: it most likely holds data. */
const LONGEST_TAG = 64 * 1024;

/** Decodes each byte as one character. That is enough, because all characters that matter here are ASCII. */
const BYTES = 'latin1';

/** Rewrites the links of a page in UTF-8, or in another encoding that contains ASCII. */
export function pageLinks(relink: Relink): Transform {
  const page = new Page(relink);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, Buffer.from(page.take(chunk.toString(BYTES)), BYTES)),
    flush: (done) => done(null, Buffer.from(page.end(), BYTES)),
  });
}

/** The next `length` characters of the input become `shown`. Undefined: more input is needed to tell. */
type Step = { readonly length: number; readonly shown: string } | undefined;

/** A tag whose end has not come yet. Offsets count from its beginning. */
interface Begun {
  /** offset at which its next attribute begins */
  readonly next: number;
  /** offset up to which the tag is in `shown` */
  readonly copied: number;
  readonly shown: string;
}

class Page {
  readonly #relink: Relink;
  #rest = '';
  /** what is known of the unfinished tag that `#rest` begins with, if any */
  #begun: Begun | undefined;
  /** inside a comment or an element of text: matches where that ends. `longest`: most characters of that end */
  #until: { readonly end: RegExp; readonly longest: number } | undefined;

  constructor(relink: Relink) {
    this.#relink = relink;
  }

  /** Takes the next input. @returns the output that is certain by now */
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

  /** @returns the rest, which no link is rewritten in */
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
      // the last characters are kept, since the end may begin with them
      const length = this.#rest.length - at - longest + 1;
      return length > 0 ? this.#plain(at, length) : undefined;
    }
    this.#until = undefined;
    // the end of an element is matched without its characters, so that the next step reads its end tag
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

  /** Reads a tag. It may come in any number of pieces, so reading goes on where it stopped: only the last two attributes are read again, as the value of one may still be to come. */
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

  /** Keeps what is known of the tag, until more comes. @param first offset at which its attributes begin */
  #unfinished(at: number, first: number, begun: Begun): Step {
    const length = this.#rest.length - at;
    if (length > LONGEST_TAG) return { length, shown: begun.shown + this.#rest.slice(at + begun.copied) };
    if (begun.next > first) this.#begun = begun;
    return undefined;
  }

  /** @param value as written in the page, with its quotes */
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
/** One attribute with its value, if any, and the characters before it; at the end of a tag only those characters. An unfinished value reaches to the end of the text. */
const ATTRIBUTE = /[\s/]*(?:([^\s/>][^\s/>=]*)(?:\s*=\s*("[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'>][^\s>]*|$))?)?/y;

/** Decodes numeric references of printable ASCII characters. `&` stays encoded, so that no other reference comes of it. */
function decoded(value: string): string {
  return value.replace(/&#(?:x([\da-f]{1,2})|(\d{1,3}));/gi, (written, hexadecimal, decimal) => {
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code > 31 && code < 127 && code !== AMPERSAND ? String.fromCharCode(code) : written;
  });
}

const AMPERSAND = 38;
