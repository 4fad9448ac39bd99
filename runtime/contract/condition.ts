/**
 * Conditions as schemas state them beside a default or a constraint: what other members of the same object must be like, and which feature
 * gate must be on. One grammar for all that depends on them:
 *
 *     when: { type: RollingUpdate }                  the member has this value
 *     when: { type: [NodePort, LoadBalancer] }       it has one of these values
 *     when: { type: { not: [ExternalName] } }        it has none of these values; an absent member has no value, so this holds for it
 *     when: { externalIPs: { present: true } }       it is there, with whatever value; `false`: it is absent
 *     when: { completions: { above: 100000 } }       it is a number beyond this one; `below`: short of it
 *     when: { type: ClusterIP, ports: { present: false } }   all of them hold
 *     when: [ { type: LoadBalancer }, { type: ClusterIP } ]   one of the conditions holds
 *     gate: JobPodReplacementPolicy                  the feature gate is on; with `!` before it: off
 *
 * Members are named by dotted paths from the struct that has the property, through structs alone: below a struct that is absent all members
 * are absent. null is absent, and so is every value that is left out of an object because it is zero. A zero that is always written (a
 * required text that is empty) is a value.
 */

/** A value that members are compared with. Texts may contain identity placeholders. */
export type ConditionValue = string | number | boolean;

/** A test of one member, in one of the forms above. */
export type MemberTest =
  | ConditionValue
  | readonly ConditionValue[]
  | { readonly not: ConditionValue | readonly ConditionValue[] }
  | { readonly present: boolean }
  | { readonly above: number }
  | { readonly below: number };

/** Tests by the dotted paths of their members. All must hold; a condition without tests always holds. */
export type Condition = Readonly<Record<string, MemberTest>>;

/** Something that applies under conditions, while a feature gate is on, or both; without either it always applies. */
export interface Conditional {
  /** of several conditions one must hold */
  readonly when?: Condition | readonly Condition[];
  /** the name of a feature gate that must be on, or off if `!` stands before the name */
  readonly gate?: string;
}
