// What kinds of events are called.

/** A kind as one reads it: "Goal set", "Asked", "ToM verdict". */
export function kindName(kind) {
  const words = kind.replace(/_/g, " ").replace(/([A-Za-z])(?=[A-Z][a-z])/g, "$1 ");
  return words.slice(0, 1).toUpperCase() + words.slice(1).replace(/ [A-Z](?=[a-z])/g, (c) => c.toLowerCase());
}
