/** A JSON value that stays the text that it is written as, on its way into protobuf or out of it: sets of managed fields, which are much of many objects. */
export class WrittenJson {
  readonly text: string;

  /** @param text of one JSON value; nobody has made sure of that where it was decoded */
  constructor(text: string) {
    this.text = text;
  }
}
