/**
 * A text for people whose objects are converted from an older version, about something that neither defaults nor constraints of the newer version show. Schemas
 * state it, the offline converter prints it, and servers never load it.
 */
export interface ConversionNotice {
  /**
   * The dotted path of a member, such as `spec.rules[].http.paths[].pathType`. `[]` after a list or a map stands for its elements. An empty path stands for
   * every object of the kind.
   */
  readonly path: string;
  /** how the member must be for the notice to apply; absent for the empty path */
  readonly when?: NoticeCondition;
  /** a sentence, which may contain identity placeholders */
  readonly text: string;
}

/** `set`: the member is stated. `empty`: it is an empty object or list. `absent`: it is missing, while the object around it is stated. */
export type NoticeCondition = 'set' | 'empty' | 'absent';

/** Notices by the folder and the name of the kind, such as `policy/v1beta1 PodDisruptionBudget`. */
export type ConversionNotices = Readonly<Record<string, readonly ConversionNotice[]>>;
