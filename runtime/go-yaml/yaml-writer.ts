/** Puts YAML together piece by piece, and knows in which column it stands, as the writer of 1.32 does. */
import { BREAK, styleOf } from './scalar-style.ts';

/** Behind this column a text goes on in the next line, where it has a single space. */
const WIDTH = 80;
const STEP = 2;

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\x85': 'N',
  '\xa0': '_',
  '\u2028': 'L',
  '\u2029': 'P',
};
const ESCAPED = /["\\\n\u2028\u2029]|[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const BYTE_ORDER_MARK = '\ufeff';

export class YamlWriter {
  #text = '';
  #column = 0;
  /** Columns; undefined before the first collection. */
  #indent: number | undefined;
  /** Whether nothing but blanks and marks of lists stand before this place in its line. */
  #atBeginning = true;
  /** Whether a blank stands before this place, or none is needed. */
  #isSpaced = true;

  /** All that was written, ended by a line feed. */
  finish(): string {
    this.line();
    return this.#text;
  }

  /** @param isMember whether the collection is the value of a member: lists stand at the column of their key */
  collection(isList: boolean, isMember: boolean, write: () => void): void {
    const outer = this.#indent;
    if (outer === undefined) this.#indent = 0;
    else if (!(isList && isMember && !this.#atBeginning)) this.#indent = outer + STEP;
    write();
    this.#indent = outer;
  }

  /** Begins a line at the present indent; does nothing where it has just begun. */
  line(): void {
    const indent = this.#indent ?? 0;
    if (!this.#atBeginning || this.#column > indent || (this.#column === indent && !this.#isSpaced)) this.#break();
    if (this.#column < indent) this.#put(' '.repeat(indent - this.#column));
    this.#isSpaced = true;
    this.#atBeginning = true;
  }

  /** A mark of a list, or of a key or value that needs a line of its own. */
  mark(mark: '-' | '?' | ':'): void {
    this.#indicator(mark, true);
    this.#atBeginning = true;
  }

  /** What stands behind a key. */
  colon(): void {
    this.#put(':');
    this.#isSpaced = false;
    this.#atBeginning = false;
  }

  /** A word that needs no quotes, such as a number or an empty list. */
  word(word: string): void {
    this.#indicator(word, true);
  }

  /** @param isKey whether the text must stay on its line */
  scalar(text: string, isKey: boolean): void {
    const outer = this.#indent;
    this.#indent = (outer ?? 0) + STEP;
    switch (styleOf(text, isKey)) {
      case 'plain':
        this.#plain(text, isKey);
        break;
      case 'single':
        this.#single(text, isKey);
        break;
      case 'double':
        this.#double(text, isKey);
        break;
      default:
        this.#literal(text);
    }
    this.#indent = outer;
  }

  #put(text: string): void {
    this.#text += text;
    this.#column += text.length;
  }

  #break(): void {
    this.#text += '\n';
    this.#column = 0;
  }

  #indicator(text: string, needsSpace: boolean): void {
    if (needsSpace && !this.#isSpaced) this.#put(' ');
    this.#put(text);
    this.#isSpaced = false;
    this.#atBeginning = false;
  }

  #plain(text: string, isKey: boolean): void {
    if (!this.#isSpaced) this.#put(' ');
    this.#runs(text, isKey);
    this.#isSpaced = false;
    this.#atBeginning = false;
  }

  #single(text: string, isKey: boolean): void {
    this.#indicator("'", true);
    this.#runs(text.replaceAll("'", "''"), isKey);
    this.#indicator("'", false);
  }

  /** Text of which single spaces may become ends of lines. */
  #runs(text: string, isKey: boolean): void {
    if (isKey || (this.#column + text.length <= WIDTH && !BREAK.test(text))) {
      this.#put(text);
      return;
    }
    let behindSpace = false;
    let behindBreak = false;
    for (let i = 0; i < text.length; i++) {
      const character = text[i] as string;
      if (character === ' ') {
        const isInner = i > 0 && i < text.length - 1 && !behindSpace && text[i + 1] !== ' ';
        if (isInner && this.#column > WIDTH) this.line();
        else this.#put(character);
        behindSpace = true;
      } else if (BREAK.test(character)) {
        this.#given(character);
        behindBreak = true;
      } else {
        if (behindBreak) this.line();
        this.#put(character);
        this.#atBeginning = behindSpace = behindBreak = false;
      }
    }
  }

  /** A break that the text has. */
  #given(character: string): void {
    if (character === '\n') this.#break();
    else {
      this.#put(character);
      this.#column = 0;
    }
    this.#atBeginning = true;
  }

  #double(text: string, isKey: boolean): void {
    this.#indicator('"', true);
    const escapesAll = text.startsWith(BYTE_ORDER_MARK);
    const characters = [...text];
    let behindSpace = false;
    characters.forEach((character, i) => {
      const isSpace = character === ' ' && !escapesAll;
      if (escapesAll || ESCAPED.test(character)) this.#put(escapeOf(character));
      else if (isSpace && !isKey && !behindSpace && this.#column > WIDTH && i > 0 && i < characters.length - 1) {
        this.line();
        // A line would lose the spaces that it begins with.
        if (characters[i + 1] === ' ') this.#put('\\');
      } else this.#put(character);
      behindSpace = isSpace;
    });
    this.#indicator('"', false);
  }

  #literal(text: string): void {
    this.#indicator(`|${hints(text)}`, true);
    this.#break();
    this.#atBeginning = true;
    this.#isSpaced = true;
    let behindBreak = true;
    for (const run of text.split(/([\n\r\x85\u2028\u2029])/)) {
      if (run === '') continue;
      if (BREAK.test(run)) {
        this.#given(run);
        behindBreak = true;
      } else {
        if (behindBreak) this.line();
        this.#put(run);
        this.#atBeginning = behindBreak = false;
      }
    }
  }
}

/** What a block of lines says before it: that it begins with blanks, and whether it ends with no line feed, or with several. */
function hints(text: string): string {
  const indent = text.startsWith(' ') || BREAK.test(text[0] as string) ? `${STEP}` : '';
  if (!BREAK.test(text.at(-1) as string)) return `${indent}-`;
  return text.length === 1 || BREAK.test(text.at(-2) as string) ? `${indent}+` : indent;
}

function escapeOf(character: string): string {
  const short = ESCAPES[character];
  if (short !== undefined) return `\\${short}`;
  const code = character.codePointAt(0) as number;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
