/**
 * A JSON value that stays text between JSON and protobuf, without being parsed. It is used for the sets of managed fields, which are a
 * large part of many objects.
 */
export class WrittenJson {
  readonly text: string;

  /** @param text one JSON value; it is unchecked if it was decoded from protobuf */
  constructor(text: string) {
    this.text = text;
  }
}
