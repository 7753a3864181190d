package io.sluice.rules.yaml;

import java.util.function.Predicate;

/**
 * Handles the items of a document that is a list, or that has a list under a key. Each item is handled as soon as it is parsed.
 * Handled items are not in the tree; the list there is empty.
 *
 * @param take handles an item and returns whether it is valid; each valid item raises the bound on the document's size
 */
public record ItemHandler(String key, Predicate<YamlValue> take) {}
