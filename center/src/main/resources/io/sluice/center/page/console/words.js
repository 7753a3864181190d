// The texts of one view, in both languages. Each view has its own; texts of the pages for signing in are in /assets/texts.js.
import { language } from '/assets/texts.js';

/**
 * Returns a function that returns a text by its name, with values for the names in braces. Both languages must have the same names.
 *
 * @param {{en: Object<string, string>, zh: Object<string, string>}} texts
 */
export function words(texts) {
  const missing = [
    ...Object.keys(texts.en).filter((name) => !(name in texts.zh)),
    ...Object.keys(texts.zh).filter((name) => !(name in texts.en)),
  ];
  if (missing.length > 0) {
    throw new Error(`texts that only one language has: ${missing.join(', ')}`);
  }
  return (name, values = {}) => {
    const text = texts[language.value][name];
    if (text === undefined) {
      throw new Error(`unknown text: ${name}`);
    }
    return text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  };
}
