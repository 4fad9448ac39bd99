/** Converts between indexes of code points and of UTF-16 code units. */
import { textSize } from '../../values/describe.ts';

/** A text with its number of code points. */
export class CodePoints {
  readonly text: string;
  readonly size: number;

  constructor(text: string) {
    this.text = text;
    this.size = textSize(text);
  }

  /** The index of the code unit at which a code point begins. @param point from 0 to `size` */
  unitAt(point: number): number {
    if (this.size === this.text.length) return point;
    let unit = 0;
    for (let left = point; left > 0; left--) unit += widthAt(this.text, unit);
    return unit;
  }

  /** The number of code points before a code unit. */
  pointAt(unit: number): number {
    return this.size === this.text.length ? unit : textSize(this.text.slice(0, unit));
  }
}

const widthAt = (text: string, unit: number): 1 | 2 => ((text.codePointAt(unit) as number) > 0xffff ? 2 : 1);

/** Splits a text into its code points. @param limit the most pieces; the last one contains the rest */
export function explode(text: string, limit: number): string[] {
  const points: string[] = [];
  let unit = 0;
  while (unit < text.length) {
    const width = points.length === limit - 1 ? text.length - unit : widthAt(text, unit);
    points.push(text.slice(unit, unit + width));
    unit += width;
  }
  return points;
}
