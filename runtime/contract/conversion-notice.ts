/**
 * What schemas say to people whose objects are converted from an older version, where neither defaults nor constraints of the other version show it.
 * The offline converter prints it; servers never load it.
 */
export interface ConversionNotice {
  /** dotted, `[]` behind a list or a map whose elements are meant, such as `spec.rules[].http.paths[].pathType`; '' for every object of the kind */
  readonly path: string;
  /** whether the member must be stated, be an empty object or list, or be missing where the object around it is stated; absent of the path '' */
  readonly when?: NoticeCondition;
  /** a sentence, which may hold identity placeholders */
  readonly text: string;
}

export type NoticeCondition = 'set' | 'empty' | 'absent';

/** By folder and name of the kind, such as `policy/v1beta1 PodDisruptionBudget`. */
export type ConversionNotices = Readonly<Record<string, readonly ConversionNotice[]>>;
